import { type FormEvent, useCallback, useState } from "react";
import { peopleApi } from "../../api/session/session.ts";
import type { Member } from "../../api/types.ts";
import { formatWhen } from "../../lib/format.ts";
import { Button, Check, Field, Select } from "../../ui/fields.tsx";
import { navigate } from "../../ui/page/link.tsx";
import { Problem } from "../../ui/section-parts.tsx";
import { GridTable } from "../../ui/table/data-grid.tsx";
import { useAct, useLoad } from "../../ui/use-load.ts";

const COLUMNS = [{ name: "person" }, { name: "is" }, { name: "downloads" }, { name: "since" }, { name: "" }];
const WHATS = [
  ["reader", "reader"],
  ["owner", "further owner"],
  ["hand over", "owner instead of me"],
] as const;

interface Props {
  readonly id: string;
}

/** Owners and readers of an analysis: to add, change and remove. */
export function PeoplePart({ id }: Props) {
  const load = useCallback(() => peopleApi.people(id), [id]);
  const { answer, problem: unread, reload } = useLoad(load);
  const people = answer ?? [];
  const [name, setName] = useState("");
  const [what, setWhat] = useState<(typeof WHATS)[number][0]>("reader");
  const [download, setDownload] = useState(false);
  const { busy, problem, act } = useAct();

  const add = (event: FormEvent) => {
    event.preventDefault();
    if (what === "hand over") {
      // It is not ours to arrange any more: the page shows what it is now.
      act(peopleApi.handOver(id, name).then(() => window.location.reload()));
      return;
    }
    act(
      peopleApi.putPerson(id, { name, role: what, download }).then(() => {
        setName("");
        reload();
      }),
    );
  };
  const remove = (member: Member) =>
    act(peopleApi.removePerson(id, member.id).then(member.you ? () => navigate("/") : reload));
  return (
    <section className="people-part" aria-label="Owners and readers">
      <h3>Signed-in users</h3>
      {people.length > 0 && (
        <GridTable columns={COLUMNS} testId="people" className="shares">
          {people.map((member) => (
            <PersonRow
              key={member.id}
              member={member}
              busy={busy}
              onDownload={(download) =>
                act(peopleApi.putPerson(id, { name: member.name, role: member.role, download }))
              }
              onRemove={() => remove(member)}
            />
          ))}
        </GridTable>
      )}
      {people.length === 0 && <p className="muted">No owner yet: it belongs to the administrators.</p>}
      <form className="share-create" aria-label="Add a user" onSubmit={add}>
        <Field
          name="person"
          value={name}
          maxLength={200}
          placeholder="e-mail address or user name"
          autoComplete="off"
          onText={setName}
        />
        <Select name="as" named value={what} choices={WHATS} onChoose={setWhat} />
        {what === "reader" && (
          <Check checked={download} onCheck={setDownload}>
            download events
          </Check>
        )}
        <button type="submit" className="primary" disabled={busy || name.trim() === ""}>
          {what === "hand over" ? "Hand over" : "Add"}
        </button>
      </form>
      {what === "hand over" && (
        <p className="muted">You remain a reader, and can reclaim it until the new owner changes that.</p>
      )}
      <Problem sentence={problem ?? unread} />
    </section>
  );
}

interface RowProps {
  readonly member: Member;
  readonly busy: boolean;
  readonly onDownload: (may: boolean) => void;
  readonly onRemove: () => void;
}

function PersonRow({ member, busy, onDownload, onRemove }: RowProps) {
  return (
    <tr data-testid="person-row" data-role={member.role}>
      <td>
        {member.name}
        {member.you && <span className="muted"> (you)</span>}
      </td>
      <td>{member.role}</td>
      <td>
        <input
          type="checkbox"
          aria-label={`${member.name} may download`}
          checked={member.download}
          disabled={busy || member.role === "owner"}
          onChange={(event) => onDownload(event.currentTarget.checked)}
        />
      </td>
      <td className="num">{formatWhen(member.since)}</td>
      <td className="right row-actions">
        <Button className="quiet" disabled={busy} aria-label={`Remove ${member.name}`} onClick={onRemove}>
          Remove
        </Button>
      </td>
    </tr>
  );
}
