import type { Output } from '../../api.ts'
import { actWords, dates, plural } from '../../format.ts'
import { withShortIds } from '../../page-words.ts'
import { Chip, type Tone, Words } from '../../parts/chip.tsx'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { setQuery } from '../../router.tsx'
import { shown } from '../../shown.ts'

/** An entry of the log. */
export type Entry = Output<'history'>['operations'][number]

const ICONS: Readonly<Record<string, readonly [IconName, Tone?]>> = {
  remember: ['incoming', 'accent'],
  remember_many: ['incoming', 'accent'],
  learn_document: ['document', 'accent'],
  import: ['incoming', 'accent'],
  dream: ['dream', 'info'],
  promote: ['dream', 'info'],
  curate: ['dream', 'info'],
  recall: ['flask'],
  outcome: ['check'],
  settle: ['check'],
  connect: ['link'],
  disconnect: ['link', 'warn'],
  edit: ['edit'],
  forget: ['archive', 'bad'],
  archive: ['archive'],
  restore: ['undo', 'good'],
  resolve: ['check', 'accent'],
  decide: ['check', 'accent'],
  propose: ['shield', 'warn'],
  undo: ['undo', 'warn'],
  erase: ['erase', 'bad'],
  setup: ['person', 'accent'],
}

/** One act in the list: when, who, what. */
export function EntryRow({ entry, isChosen }: { readonly entry: Entry; readonly isChosen: boolean }) {
  const [icon, tone] = ICONS[entry.operation] ?? (['more'] as const)
  return (
    <button
      type="button"
      class={isChosen ? 'entry-row chosen' : 'entry-row'}
      aria-haspopup="dialog"
      onClick={() => setQuery({ entry: String(entry.id) }, 'push')}
    >
      <span class="small quiet-text number">{dates.time(entry.at)}</span>
      <span class={tone === undefined ? 'badge' : `badge ${tone}`}>
        <Icon name={icon} size={14} />
      </span>
      <EntryWords entry={entry} />
      <EntryState entry={entry} />
    </button>
  )
}

/** True of an entry that only says that something was taken in, whose words say it better. */
function isTakenIn({ operation, blockCount, first }: Entry): boolean {
  return operation.startsWith('remember') && blockCount === 1 && first !== undefined
}

/** Returns the reason that somebody gave; none for a recall, whose reason is the name of its frame. */
export function saidReason({ operation, reason }: Entry): string | undefined {
  return operation === 'recall' ? undefined : reason
}

function EntryWords({ entry }: { readonly entry: Entry }) {
  const { actor, operation, summary, entries = 1, first } = entry
  const reason = saidReason(entry)
  const about = isTakenIn(entry) ? undefined : first
  return (
    <span class="entry-words">
      <span class="entry-line">
        <b class="entry-actor" dir="auto" title={shown(actor)}>
          {shown(actor)}
        </b>{' '}
        {actWords(operation)}:{' '}
        {isTakenIn(entry) ? (
          <>
            “<Words text={first ?? ''} />”
          </>
        ) : (
          <Words text={withShortIds(summary)} />
        )}
        {entries > 1 && <span class="quiet-text"> ({plural(entries, 'entry', 'entries')})</span>}
      </span>
      {(reason || about) && (
        <span class="small quiet-text entry-line">
          {reason && <Words text={`“${reason}” `} />}
          {about && <Words text={about} />}
        </span>
      )}
    </span>
  )
}

function EntryState({ entry }: { readonly entry: Entry }) {
  if (entry.undoneBy !== undefined) return <Chip tone="warn">taken back</Chip>
  if (!entry.undoable) return <span />
  return (
    <span class="only-wide">
      <Chip icon="undo">can be undone</Chip>
    </span>
  )
}
