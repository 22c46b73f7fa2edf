import type { LoggedChange } from '../../../src/operations/methods.generated.ts'
import { Changed } from '../../block/changed.tsx'
import { shortId } from '../../format.ts'
import { Words } from '../../parts/chip.tsx'
import { shown } from '../../shown.ts'
import { type ChangedThing, changedThings, type ValueChange } from './change-words.ts'

/** Things that are shown before somebody asks for all. */
const FEW = 12

/** What an operation changed, thing by thing: old values struck, new ones underlined. */
export function ChangedThings({ changes }: { readonly changes: readonly LoggedChange[] }) {
  const things = changedThings(changes)
  return (
    <>
      <ThingList things={things.slice(0, FEW)} />
      {things.length > FEW && (
        <details>
          <summary class="small">{things.length - FEW} more</summary>
          <ThingList things={things.slice(FEW)} />
        </details>
      )}
    </>
  )
}

function ThingList({ things }: { readonly things: readonly ChangedThing[] }) {
  return (
    <ul class="things">
      {things.map((thing) => (
        <li key={thing.key}>
          <Named thing={thing} />
          {thing.values.map((value) => (
            <Value key={value.label} value={value} />
          ))}
        </li>
      ))}
    </ul>
  )
}

const JOINED = { edge: 'and', pair: 'and' } as const

/** Which thing it is, by its words as they are now; the block's own words say it where they changed. */
function Named({ thing: { kind, ids, words, values } }: { readonly thing: ChangedThing }) {
  if (kind === 'item') return <div class="small quiet-text">item {shown(ids.join(''))}</div>
  if (kind === 'block' && values.some(({ label }) => label === 'words')) return null
  const between = kind === 'block' ? '' : JOINED[kind]
  return (
    <div class="small quiet-text">
      {ids.map((id, at) => (
        <span key={id}>
          {at > 0 && ` ${between} `}
          {words[at] ? <Words text={`“${words[at]}”`} /> : <span class="mono">{shortId(id)}</span>}
        </span>
      ))}
    </div>
  )
}

function Value({ value: { label, before, after, areWords } }: { readonly value: ValueChange }) {
  if (areWords && before !== undefined && after !== undefined)
    return (
      <div>
        {label !== 'words' && <span class="small second">{label}</span>}
        <Changed before={before} after={after} />
      </div>
    )
  return (
    <div>
      {!(areWords && label === 'words') && <span class="small second">{label}: </span>}
      {before !== undefined && <del dir="auto">{shown(before)}</del>}
      {before !== undefined && after !== undefined && ' → '}
      {after !== undefined && <ins dir="auto">{shown(after)}</ins>}
    </div>
  )
}
