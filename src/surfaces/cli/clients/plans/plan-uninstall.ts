import { EDITORS } from '../client.ts'
import { ABSENT, type FileState, readGuarded } from '../files/guarded-file.ts'
import type { KeptEntry, KeptFile, Manifest } from '../files/manifest.ts'
import { type FilePlan, type Plan, planEach } from './plan.ts'

/** Options that say which entries are chosen, and how they are read. */
export interface Choosing {
  readonly manifest: Manifest
  readonly uid: number | undefined
  /** True for a client whose entries go. */
  readonly isMeant: (client: string) => boolean
}

/**
 * Plans to take entries out of files; refuses what stays because somebody changed it. Reads each file once, and writes nothing.
 */
export function planUninstall(files: readonly KeptFile[], choosing: Choosing): Plan {
  return planEach(files, (kept) => planFile(kept, choosing))
}

function planFile(kept: KeptFile, { manifest, uid, isMeant }: Choosing): FilePlan {
  const { path, project } = kept
  const place = project === undefined ? {} : { project }
  // An entry that another client needs, too, stays for that one.
  const staying = kept.entries
    .map((entry) => ({ ...entry, clients: entry.clients.filter((client) => !isMeant(client)) }))
    .filter(({ clients }) => clients.length > 0)
  const going = kept.entries.filter(({ clients }) => clients.every(isMeant))
  const state = readGuarded(path, { ...place, uid, mayBeGone: true })
  if (staying.length === 0 && isAsWritten(kept, state)) {
    const first = firstOf(kept, manifest)
    // A file that its owner has linked since is the owner's, and the link would lead nowhere.
    const mayGo = first?.text !== undefined || !state.isLink
    if (first !== undefined && mayGo)
      return { change: { path, ...place, state, after: first.text, entries: [] } }
  }
  return withoutEntries(kept, { state, going, staying, manifest })
}

function isAsWritten({ after, mixed }: KeptFile, { sha256 }: FileState): boolean {
  return after === sha256 && mixed !== true
}

/** The text that a file had first, undefined in it if there was no file; nothing if its backup is lost. */
function firstOf(kept: KeptFile, manifest: Manifest): { readonly text: string | undefined } | undefined {
  if (kept.before === ABSENT) return { text: undefined }
  const bytes = manifest.restored(kept)
  return bytes && { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) }
}

function withoutEntries(
  kept: KeptFile,
  {
    state,
    going,
    staying,
    manifest,
  }: {
    readonly state: FileState
    readonly going: readonly KeptEntry[]
    readonly staying: readonly KeptEntry[]
    readonly manifest: Manifest
  },
): FilePlan {
  const { path, project, before } = kept
  const { text, changed, displaced } = takenOut(state.text, going)
  const entries = [...staying, ...changed]
  const isOver =
    entries.length === 0 && before === ABSENT && !state.isLink && text.replace('\uFEFF', '').trim() === ''
  const after = isOver ? undefined : text
  const reasons = [
    ...new Set(changed.map(({ part }) => CHANGED[part])),
    ...displaced.map(
      (each) =>
        `has no place for the entry that --force replaced; it is kept in ${manifest.keptAt(path, each)}`,
    ),
  ]
  const left = reasons.length === 0 ? {} : { refusal: { path, reason: reasons.join(', and '), snippets: [] } }
  // What stays changed alone is nothing to do.
  if (text === state.text && changed.length > 0 && changed.length === going.length) return left
  const place = project === undefined ? {} : { project }
  return { ...left, change: { path, ...place, state, after, entries, displaced } }
}

/** The reasons why an entry stays. */
const CHANGED: Readonly<Record<KeptEntry['part'], string>> = {
  server: 'has an entry elfmem that was changed since',
  rules: 'has lines of elfmem that were changed since',
  hooks: 'has hooks of elfmem that were changed since',
}

interface TakenOut {
  readonly text: string
  /** The entries that stay, because somebody changed them. */
  readonly changed: readonly KeptEntry[]
  /** Texts that had been replaced and have no place any more. */
  readonly displaced: readonly string[]
}

function takenOut(before: string, going: readonly KeptEntry[]): TakenOut {
  let text = before
  const [rest, displaced]: [KeptEntry[], string[]] = [[], []]
  for (const entry of going.toReversed()) {
    const taken = EDITORS[entry.format].takeOut(text, entry.trace)
    if (typeof taken === 'string') {
      rest.push(entry)
      continue
    }
    text = taken.text
    if (taken.displaced !== undefined) displaced.push(taken.displaced)
  }
  // Whether one was changed shows when the others of its list are out.
  const isChanged = ({ format, trace }: KeptEntry) => EDITORS[format].takeOut(text, trace) === 'other'
  const changed = rest.filter(isChanged)
  const gone = rest.filter((entry) => !changed.includes(entry))
  return {
    text,
    changed,
    displaced: [...displaced, ...gone.flatMap(({ trace }) => trace.replaced?.text ?? [])],
  }
}
