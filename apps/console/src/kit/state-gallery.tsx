import { useState } from "react";
import { BulkJob, type JobResult } from "../ui/bulk-job.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { FormFooter } from "../ui/form-footer.tsx";
import { Modal } from "../ui/modal.tsx";
import { noticeError, noticeSuccess } from "../ui/notice.tsx";
import { Card, Facts } from "../ui/page.tsx";
import { EmptyState, ErrorState, Loading, LoadingRows } from "../ui/states.tsx";
import { Gallery, Specimen } from "./specimen.tsx";

const results: JobResult[] = [
  { id: "1", label: "LAMP-1" },
  { id: "2", label: "BROKEN-1", reason: "colour is not known" },
];

export function StateGallery() {
  return (
    <>
      <Gallery title="States">
        <Card title="Loading">
          <Loading rows={4} />
        </Card>
        <Card title="Loading a list">
          <LoadingRows rows={3} />
        </Card>
        <Card title="Empty">
          <EmptyState title="No record found" hint="Nothing matches these filters." action={<Button>Clear all</Button>} />
        </Card>
        <Card title="Not readable">
          <ErrorState detail="The server cannot be reached." onRetry={() => undefined} />
        </Card>
        <Card title="Facts">
          <Facts
            facts={[
              { name: "Message id", value: "205440000000001" },
              { name: "Target", value: "The shop" },
              { name: "Attempts", value: 3 },
            ]}
          />
        </Card>
        <Questions />
      </Gallery>
      <Gallery title="Bulk jobs">
        <BulkJob title="Requeue" state="running" done={420} total={1200} failed={0} results={[]} onPause={noop} onCancel={noop} />
        <BulkJob
          title="Requeue, paused"
          state="paused"
          done={420}
          total={1200}
          failed={3}
          results={results}
          onResume={noop}
          onCancel={noop}
        />
        <BulkJob title="Remove" state="done" done={1200} total={1200} failed={1} results={results} onUndo={noop} />
        <BulkJob title="Remove, cancelled" state="cancelled" done={10} total={1200} failed={0} results={[]} onResume={noop} onUndo={noop} />
      </Gallery>
    </>
  );
}

const noop = () => undefined;

function Questions() {
  const [open, setOpen] = useState<"confirm" | "typed" | "modal" | null>(null);
  const close = () => setOpen(null);
  return (
    <Specimen title="Dialogs (modal, confirmed, confirmed by typing) and notices">
      <Button onClick={() => setOpen("confirm")}>Confirm</Button>
      <Button look="danger" onClick={() => setOpen("typed")}>
        Confirm by typing
      </Button>
      <Button onClick={() => setOpen("modal")}>Dialog</Button>
      <Button onClick={() => noticeSuccess("Deadletter successfully removed", { label: "Undo", run: noop })}>Notice with Undo</Button>
      <Button onClick={() => noticeError("Something went wrong, Please try again!")}>Error notice</Button>
      {(open === "confirm" || open === "typed") && (
        <ConfirmDialog
          onClose={close}
          title="Remove 12 dead letters?"
          text="What is removed is not delivered any more. It can be restored until the retention period ends."
          actionLabel="Remove"
          look="danger"
          typedWord={open === "typed" ? "acme" : null}
          onConfirm={close}
        />
      )}
      {open === "modal" && (
        <Modal title="A dialog" description="It holds the focus until it is closed." onClose={close}>
          <form className="mt-4 grid gap-3">
            <TextField id="kit-name" label="Name" />
            <FormFooter action="Save" isBusy={false} disabledReason="Type a name first" refusal="The code is taken already." />
          </form>
        </Modal>
      )}
    </Specimen>
  );
}
