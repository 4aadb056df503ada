import MenuItem from "@mui/material/MenuItem";
import Stack from "@mui/material/Stack";
import TextField from "@mui/material/TextField";
import { selectFilters, textFilters, type useQueuePage } from "../shared/queue-page.ts";

export function Filters({ page: { t, search, apply, options } }: { page: ReturnType<typeof useQueuePage> }) {
  return (
    <Stack direction="row" sx={{ gap: 1.5, p: 2 }}>
      {selectFilters.map((name) => (
        <TextField
          key={name}
          select
          fullWidth
          size="small"
          label={t(`filter.${name}`)}
          value={search[name] ?? ""}
          onChange={(event) => apply({ [name]: event.target.value })}
        >
          <MenuItem value="">{t("filter.any")}</MenuItem>
          {options[name].map(({ value, label }) => (
            <MenuItem key={value} value={value}>
              {label}
            </MenuItem>
          ))}
        </TextField>
      ))}
      {textFilters.map((name) => (
        <TextField
          key={name}
          fullWidth
          size="small"
          label={t(`filter.${name}`)}
          value={search[name] ?? ""}
          onChange={(event) => apply({ [name]: event.target.value })}
        />
      ))}
    </Stack>
  );
}
