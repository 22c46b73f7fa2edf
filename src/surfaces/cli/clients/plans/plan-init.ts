import { ElfmemError } from '../../../../errors.ts'
import { EDITORS, type Target } from '../client.ts'
import { type FileState, readGuarded } from '../files/guarded-file.ts'
import type { KeptEntry, KeptFile, Manifest } from '../files/manifest.ts'
import { type FilePlan, type Plan, planEach } from './plan.ts'

/** A target and the client it is for. */
export interface Wanted {
  readonly client: string
  readonly target: Target
}

/** Options of making a plan. */
export interface Planning {
  readonly manifest: Manifest
  readonly uid: number | undefined
  readonly project: string | undefined
  /** True: an entry with other arguments is replaced. */
  readonly force: boolean
}

/** Plans to put entries into files. Reads each file once, and writes nothing. */
export function planInit(wanted: readonly Wanted[], planning: Planning): Plan {
  const files = [...Map.groupBy(wanted, ({ target }) => target.path)].map(([path, each]) => ({ path, each }))
  return planEach(
    files,
    ({ path, each }) => planFile(path, each, planning),
    ({ each }) => [...new Set(each.map(({ target: { format, entry } }) => EDITORS[format].snippet(entry)))],
  )
}

function planFile(path: string, wanted: readonly Wanted[], planning: Planning): FilePlan {
  const isOfProject = wanted[0]?.target.place === 'project'
  const place = isOfProject && planning.project !== undefined ? { project: planning.project } : {}
  const state = readGuarded(path, { ...place, uid: planning.uid })
  const kept = planning.manifest.find(path)
  const { text, entries } = wanted.reduce(
    (drafted: Draft, each) => added(drafted, each, { kept, force: planning.force }),
    { text: state.text, entries: stillThere(kept, state) },
  )
  if (text === state.text && JSON.stringify(entries) === JSON.stringify(kept?.entries ?? []))
    return { same: path }
  return { change: { path, ...place, state, after: text, entries } }
}

interface Draft {
  readonly text: string
  readonly entries: readonly KeptEntry[]
}

/** The entries that are in the file as they were written; what somebody changed or took out is no longer ours. */
function stillThere(kept: KeptFile | undefined, { text }: FileState): readonly KeptEntry[] {
  return (kept?.entries ?? []).filter(
    ({ format, trace }) => typeof EDITORS[format].takeOut(text, trace) === 'object',
  )
}

function added(
  { text, entries }: Draft,
  { client, target: { format, part, entry } }: Wanted,
  { kept, force }: { readonly kept: KeptFile | undefined; readonly force: boolean },
): Draft {
  const editor = EDITORS[format]
  const standing = editor.stands(text, entry)
  const own = entries.find(
    ({ trace }) => trace.kind === entry.kind && trace.at.join('\0') === entry.at.join('\0'),
  )
  const others = entries.filter((each) => each !== own)
  const clients = [...new Set([...(own?.clients ?? []), client])]
  // What the owner pasted stays the owner's.
  if (standing === 'same')
    return own === undefined ? { text, entries } : { text, entries: [...others, { ...own, clients }] }
  if (standing === 'other' && own === undefined && !force)
    throw new ElfmemError(
      'CONFIG_INVALID',
      `has another entry elfmem${kept === undefined ? '' : ', changed since'}; --force replaces it`,
      { recovery: 'Add --force.' },
    )
  const put = editor.put(text, entry)
  // Of one that is brought up to date it counts how it came there first.
  const { sha256 } = put.trace
  const trace = standing === 'other' && own !== undefined ? { ...own.trace, sha256 } : put.trace
  return { text: put.text, entries: [...others, { clients, part, format, trace }] }
}
