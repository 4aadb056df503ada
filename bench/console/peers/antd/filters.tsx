import { Flex, Form, Input, Select } from "antd";
import { selectFilters, textFilters, type useQueuePage } from "../shared/queue-page.ts";

export function Filters({ page: { t, search, apply, options } }: { page: ReturnType<typeof useQueuePage> }) {
  const any = { value: "", label: t("filter.any") };
  return (
    <Form layout="vertical">
      <Flex gap={12}>
        {selectFilters.map((name) => (
          <Form.Item key={name} label={t(`filter.${name}`)} style={{ flex: 1, minWidth: 0 }}>
            <Select value={search[name] ?? ""} onChange={(value) => apply({ [name]: value })} options={[any, ...options[name]]} />
          </Form.Item>
        ))}
        {textFilters.map((name) => (
          <Form.Item key={name} label={t(`filter.${name}`)} style={{ flex: 1, minWidth: 0 }}>
            <Input value={search[name] ?? ""} onChange={(event) => apply({ [name]: event.target.value })} />
          </Form.Item>
        ))}
      </Flex>
    </Form>
  );
}
