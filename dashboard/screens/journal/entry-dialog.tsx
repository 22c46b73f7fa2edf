import { useState } from 'preact/hooks'
import { type Answer, call, type Output, type Failure as Why } from '../../api.ts'
import { mayChange, takeBack } from '../../change.ts'
import { actWords, dates, plural, shortId } from '../../format.ts'
import { useOperation } from '../../load.ts'
import { withShortIds } from '../../page-words.ts'
import { Button } from '../../parts/button.tsx'
import { Words } from '../../parts/chip.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure, Notice, Pending } from '../../parts/states.tsx'
import { go, setQuery } from '../../router.tsx'
import { type Entry, saidReason } from './entry-row.tsx'

/** Entries of a run that are named. */
const RUN = 100
/** What is named of an undo before somebody agrees. */
const NAMED = 8
/** Blocks named of an entry. */
const BLOCKS = 8

const close = () => setQuery({ entry: undefined })

/** Shows one act: what was done, what belongs to it, and the way to take it back. */
export function EntryDialog({ id }: { readonly id: number }) {
  const loaded = useOperation('history', { id })
  const [preview, setPreview] = useState<Answer<Output<'undo'>>>()
  const [isBusy, setBusy] = useState(false)
  const entry = loaded.data?.operations.find((each) => each.id === id)
  const look = async () => {
    setBusy(true)
    setPreview(await call('undo', { operationId: id, dryRun: true }))
    setBusy(false)
  }
  const undo = async () => {
    setBusy(true)
    const answer = await takeBack(id)
    setBusy(false)
    if (answer.ok) close()
  }
  const mayUndo = entry?.undoable === true && mayChange.value
  return (
    <Dialog
      isWide
      title={entry ? `${dates.day(entry.at)}, ${dates.time(entry.at)}` : 'Entry'}
      onClose={close}
      foot={
        <>
          {mayUndo && preview === undefined && (
            <Button icon="undo" disabled={isBusy} onClick={() => void look()}>
              Undo…
            </Button>
          )}
          {mayUndo && preview?.ok && (
            <Button tone="primary" icon="undo" disabled={isBusy} onClick={() => void undo()}>
              Take back {plural(preview.value.undoneCount, 'operation')}
            </Button>
          )}
          <Button onClick={close}>Close</Button>
        </>
      }
    >
      <Pending loaded={loaded} lines={5}>
        {() => entry && <EntryPage entry={entry} preview={preview} />}
      </Pending>
    </Dialog>
  )
}

interface EntryPageProps {
  readonly entry: Entry
  readonly preview: Answer<Output<'undo'>> | undefined
}

function EntryPage({ entry, preview }: EntryPageProps) {
  const reason = saidReason(entry)
  const why = whyNot(entry)
  return (
    <>
      <p class="second">
        <b>
          <Words text={entry.actor} />
        </b>{' '}
        {actWords(entry.operation)}: <Words text={withShortIds(entry.summary)} />
      </p>
      {reason && (
        <p>
          “<Words text={reason} />”
        </p>
      )}
      {preview && !preview.ok && <Refused why={preview.failure} />}
      {preview?.ok && <UndoPreview preview={preview.value} />}
      <Blocks entry={entry} />
      {why && <p class="small quiet-text">{why}</p>}
      {entry.run && <RunEntries run={entry.run} id={entry.id} />}
    </>
  )
}

function Refused({ why }: { readonly why: Why }) {
  return <Failure why={why} />
}

/** What else goes with it, before somebody agrees. */
function UndoPreview({ preview }: { readonly preview: Output<'undo'> }) {
  const { undone, undoneCount, blockCount } = preview
  return (
    <Notice
      tone="warn"
      icon="undo"
      title={`This takes back ${plural(undoneCount, 'operation')} on ${plural(blockCount, 'block')}`}
    >
      <ul>
        {undone.slice(0, NAMED).map(({ id, operation, summary }) => (
          <li key={id}>
            {actWords(operation)}: <Words text={withShortIds(summary)} />
          </li>
        ))}
        {undoneCount > NAMED && <li>and {undoneCount - NAMED} more</li>}
      </ul>
    </Notice>
  )
}

function Blocks({ entry: { blockIds, blockCount } }: { readonly entry: Entry }) {
  if (blockIds.length === 0) return null
  return (
    <div class="row wrap">
      {blockIds.slice(0, BLOCKS).map((id) => (
        <button
          key={id}
          type="button"
          class="chip mono"
          title="Open this block"
          onClick={() => go('journal', { block: id }, 'push')}
        >
          {shortId(id)}
        </button>
      ))}
      {blockCount > BLOCKS && <span class="small quiet-text">and {blockCount - BLOCKS} more</span>}
    </div>
  )
}

/** Why an entry cannot be undone; undefined if it can. */
function whyNot({ undoable, undoneBy, erased, operation }: Entry): string | undefined {
  if (undoable) return undefined
  if (undoneBy !== undefined) return `It was taken back by entry ${undoneBy}.`
  if (erased) return 'Words of it were erased for ever, so it cannot be undone.'
  if (operation === 'recall' || operation === 'record_use')
    return 'It only noted what was used; there is nothing to undo.'
  return 'It changed nothing that undo takes back, or what it changed is not kept any more.'
}

function RunEntries({ run, id }: { readonly run: string; readonly id: number }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class="small">All entries of this run</summary>
      {isOpen && <RunList run={run} id={id} />}
    </details>
  )
}

function RunList({ run, id }: { readonly run: string; readonly id: number }) {
  const loaded = useOperation('history', { run, limit: RUN })
  return (
    <Pending loaded={loaded} lines={3}>
      {({ operations }) => (
        <ul class="lines small">
          {operations.map((entry) => (
            <li key={entry.id} class="run-entry">
              <button
                type="button"
                class="plain"
                aria-current={entry.id === id ? 'true' : undefined}
                onClick={() => setQuery({ entry: String(entry.id) })}
              >
                {actWords(entry.operation)}: <Words text={withShortIds(entry.summary)} />
                {entry.first && (
                  <span class="quiet-text">
                    {' '}
                    <Words text={entry.first} />
                  </span>
                )}
              </button>
            </li>
          ))}
        </ul>
      )}
    </Pending>
  )
}
