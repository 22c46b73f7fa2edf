import { plural, shortId, statusWords } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { Words } from '../parts/chip.tsx'
import { Notice } from '../parts/states.tsx'
import { countedWords, type Erasing } from './plan.ts'

/** Blocks named of an erasing. */
const NAMED = 50

const STATES: Readonly<Record<string, string>> = { undone: 'undone', before: 'words before an edit' }

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

type Named = Pick<Erasing['blocks'][number], 'id' | 'status' | 'content'>

function Named({ blocks }: { readonly blocks: readonly Named[] }) {
  return (
    <ul class="lines small erase-list">
      {blocks.slice(0, NAMED).map(({ id, status, content }) => (
        <li key={`${id}${content}`} class="row">
          <Words class="grow clip-2" text={content ?? ''} />
          {status !== 'active' && <span class="quiet-text">{STATES[status] ?? statusWords(status)}</span>}
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

/** Blocks that hold some of the same and stay, unless somebody takes them as well. */
export function Others({ found: { lookedFor, others = [], erased }, onTake }: OthersProps) {
  const { standingIn, standingInCount } = lookedFor
  if (standingInCount === 0) return null
  return (
    <Notice
      tone="warn"
      title={`${plural(standingInCount, 'other block')} ${standingInCount === 1 ? 'holds' : 'hold'} some of the same words or numbers, and ${standingInCount === 1 ? 'stays' : 'stay'}`}
      action={
        <Button size="small" onClick={() => onTake(standingIn)}>
          {erased ? 'Erase them too…' : 'Take them too'}
        </Button>
      }
    >
      {others.length > 0 && <Named blocks={others} />}
    </Notice>
  )
}

/** How often the words stand, or stood, in which file, and what may still hold them. */
export function Files({ found }: { readonly found: Erasing }) {
  const { files, held, elsewhere, erased } = found
  const holding = files.filter(({ before, after }) => before + after > 0)
  return (
    <div class="column">
      <p class="second">
        {erased
          ? `Found ${plural(found.foundBefore, 'time')} before, ${plural(found.foundAfter, 'time')} after.`
          : `Words that nothing else holds stand ${plural(found.foundBefore, 'time')} in ${plural(holding.length, 'file')}, backups and journal counted.`}
      </p>
      <ul class="lines small">
        {holding.map(({ path, before, after }) => (
          <li key={path} class="row">
            <span class="grow path">{path}</span>
            <span class="number">{erased ? `${before} → ${after}` : before}</span>
          </li>
        ))}
      </ul>
      {held.map(({ path, reason, remedy }) => (
        <Notice key={path} tone="warn" title={`${path} may still hold something`}>
          {reason} {remedy}
        </Notice>
      ))}
      {elsewhere.length > 0 && (
        <Notice tone="warn" title="Files elsewhere hold the words and are left alone">
          {elsewhere.join(', ')}
        </Notice>
      )}
    </div>
  )
}
