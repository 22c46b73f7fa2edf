import { plural, shortId, statusWords } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { Words } from '../parts/chip.tsx'
import { Notice } from '../parts/states.tsx'
import { countedWords, type Erasing } from './plan.ts'

/** Blocks named of an erasing. */
const NAMED = 50

const STATES: Readonly<Record<string, string>> = { before: 'words of before' }

/** The blocks that go. */
export function Going({ found }: { readonly found: Erasing }) {
  const { blocks } = found
  return (
    <section class="column" aria-label="What goes">
      <p class="second">
        <b>{countedWords(found)}</b> {blocks.length === 1 ? 'goes' : 'go'}, with every trace of the words:
      </p>
      <Named blocks={blocks} />
    </section>
  )
}

type Named = Partial<Erasing['blocks'][number]> & Pick<Erasing['blocks'][number], 'id'>

function Named({ blocks }: { readonly blocks: readonly Named[] }) {
  return (
    <ul class="lines small erase-list">
      {blocks.slice(0, NAMED).map(({ id, status, content }) => (
        <li key={`${id}${content}`} class="row">
          <Words class="grow clip-2" text={content ?? ''} />
          {status !== undefined && status !== 'active' && (
            <span class="quiet-text">{STATES[status] ?? statusWords(status)}</span>
          )}
          <span class="mono quiet-text">{shortId(id)}</span>
        </li>
      ))}
      {blocks.length > NAMED && <li class="quiet-text">and {blocks.length - NAMED} more</li>}
    </ul>
  )
}

interface OthersProps {
  readonly found: Erasing
  /** Chooses these, too. */
  readonly onTake: (ids: readonly string[]) => void
}

/** Blocks that hold the same text and stay, unless somebody takes them as well. */
export function Others({ found: { others, erased }, onTake }: OthersProps) {
  if (others.length === 0) return null
  return (
    <Notice
      tone="warn"
      title={`${plural(others.length, 'other block')} ${others.length === 1 ? 'holds' : 'hold'} the same text, and ${others.length === 1 ? 'stays' : 'stay'}`}
      action={
        <Button size="small" onClick={() => onTake(others.map(({ id }) => id))}>
          {erased ? 'Erase them too…' : 'Take them too'}
        </Button>
      }
    >
      <Named blocks={others} />
    </Notice>
  )
}

/** The files of the memory and the copies that hold words of them. */
export function Files({ found: { files, copies, erased } }: { readonly found: Erasing }) {
  return (
    <div class="column">
      {erased && (
        <p class="second">
          {files.length === 0
            ? 'No file of the memory holds the words.'
            : `Files of the memory that still hold the words: ${files.length}.`}
        </p>
      )}
      {copies.length > 0 && (
        <Notice tone="warn" title="Backups and exports hold them">
          {copies.join(', ')}
        </Notice>
      )}
    </div>
  )
}
