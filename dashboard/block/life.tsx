import { useState } from 'preact/hooks'
import { call } from '../api.ts'
import { mayErase } from '../change.ts'
import { actWords, dates } from '../format.ts'
import { changes } from '../live.ts'
import { useLoad } from '../load.ts'
import { When, Words } from '../parts/chip.tsx'
import { Pending } from '../parts/states.tsx'
import { Link, place, setQuery } from '../router.tsx'
import type { Shown } from './block-drawer.tsx'
import { Changed } from './changed.tsx'
import { earlierWords } from './versions.ts'

/** Edits that are looked at. */
const EDITS = 50

/** What was done to it, newest first, with the way to take it back, its earlier words, and itself as it was known then. */
export function Life({
  shown: { block, history },
  mayAct,
}: {
  readonly shown: Shown
  readonly mayAct: boolean
}) {
  const isEdited = history.some(({ operation }) => operation === 'edit')
  return (
    <section class="column">
      <h2>Its life</h2>
      <ol class="life">
        {history.map(({ id, operation, actor, at, reason, undoable, undoneBy }) => (
          <li key={id} class="row">
            <span class="grow small">
              <b>{actWords(operation)}</b>{' '}
              <span class="quiet-text">
                <Words text={actor} /> · <When at={at} time />
              </span>
              {undoneBy && <span class="quiet-text"> · taken back</span>}
              {reason && (
                <span class="second">
                  {' '}
                  “<Words text={reason} />”
                </span>
              )}
            </span>
            <Link class="link small" to="journal" query={{ entry: String(id) }}>
              {undoable && mayAct ? 'Undo…' : 'Show'}
            </Link>
          </li>
        ))}
      </ol>
      {isEdited && <Earlier id={block.id} content={block.content} />}
      <Known since={block.createdAt} />
      {mayAct && mayErase.value && (
        <p>
          <button type="button" class="link small erase-link" onClick={() => setQuery({ act: 'erase' })}>
            Erase it for ever…
          </button>
        </p>
      )}
    </section>
  )
}

function Earlier({ id, content }: { readonly id: string; readonly content: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class="small">Its words before each correction</summary>
      {isOpen && <EarlierWords id={id} content={content} />}
    </details>
  )
}

function EarlierWords({ id, content }: { readonly id: string; readonly content: string }) {
  const loaded = useLoad(
    (signal) => call('history', { blockId: id, operation: 'edit', limit: EDITS }, { signal }),
    [id, changes.value],
  )
  return (
    <Pending loaded={loaded} lines={2}>
      {({ operations }) => {
        const versions = earlierWords(operations, content)
        if (versions.length === 0) return <p class="small quiet-text">The words stayed the same.</p>
        return (
          <ol class="lines">
            {versions.map(({ at, before, after }) => (
              <li key={at} class="outcome">
                <div class="small quiet-text">
                  <When at={at} time />
                </div>
                <Changed before={before} after={after} />
              </li>
            ))}
          </ol>
        )
      }}
    </Pending>
  )
}

function Known({ since }: { readonly since: string }) {
  const { known } = place.value.query
  return (
    <label class="row small second">
      As it was known on
      <input
        class="field"
        type="date"
        min={dates.key(since)}
        max={dates.key(Date.now())}
        value={known?.slice(0, 10) ?? ''}
        onChange={(event) => setQuery({ known: event.currentTarget.value || undefined })}
      />
    </label>
  )
}
