import { ElfmemError } from '../../../errors.ts'
import { type Client, EDITORS, type Launch, RULES, serverEntry, serverFile } from './client.ts'
import { sha256, sha256OfValue } from './edit/entry.ts'
import { readGuarded } from './files/guarded-file.ts'
import type { Manifest } from './files/manifest.ts'
import { firstThere, type Ground, type Place } from './paths.ts'

/** The machine and the records by which the files of clients are looked at. */
export interface Looking {
  readonly ground: Ground
  readonly uid: number | undefined
  readonly manifest: Manifest
}

/** An entry that a client's file has. */
export interface Configured {
  readonly part: 'server' | 'rules' | 'hooks'
  readonly path: string
  readonly place: Place
  /** `ours` if it is what elfmem wrote. */
  readonly state: 'ours' | 'yours' | 'unreadable'
  /** The reason why it cannot be read; a clause without the path. */
  readonly reason?: string
  /** True if the user let the client use it; absent where that is not asked. */
  readonly allowed?: boolean
  /** The command that starts the server; absent if elfmem may not start it, such as an entry of a project that it did not write. */
  readonly launch?: Launch
  /** The address of a remote server in the place of a command. */
  readonly url?: string
}

const PLACES: readonly Place[] = ['project', 'user']

/** Entries that a client's files have, in this project and for the user. Reads at most four files. */
export function entriesOf(client: Client, looking: Looking): readonly Configured[] {
  return PLACES.flatMap((place) => [
    ...serverIn(client, place, looking),
    ...rulesIn(client, place, looking),
    ...hooksIn(client, place, looking),
  ])
}

function serverIn(client: Client, place: Place, looking: Looking): readonly Configured[] {
  const path = serverFile(client, place, looking.ground)
  if (path === undefined) return []
  const { at } = serverEntry(client, {})
  const found = valueIn(path, place, { looking, read: (text) => EDITORS[client.format].valueAt(text, at) })
  const common = { part: 'server', path, place } as const
  if (found === undefined) return []
  if ('unreadable' in found)
    return found.mayHold ? [{ ...common, state: 'unreadable', reason: found.unreadable }] : []
  const traces = looking.manifest.find(path)?.entries.map(({ trace }) => trace.sha256) ?? []
  const isOurs = traces.includes(sha256OfValue(found.value))
  const mayTry = isOurs || place === 'user'
  const [launch, url] = mayTry ? [launchOf(found.value), urlOf(found.value)] : []
  const allowed = place === 'project' ? client.isAllowed?.(looking.ground) : undefined
  return [
    {
      ...common,
      state: isOurs ? 'ours' : 'yours',
      ...(allowed === undefined ? {} : { allowed }),
      ...(launch && { launch }),
      ...(launch === undefined && url !== undefined && { url }),
    },
  ]
}

function rulesIn(client: Client, place: Place, looking: Looking): readonly Configured[] {
  const path = firstThere(looking.ground, client.rules?.[place])
  if (path === undefined) return []
  const found = valueIn(path, place, { looking, read: (text) => EDITORS.block.valueAt(text, []) })
  if (found === undefined || 'unreadable' in found) return []
  const state = sha256(String(found.value)) === sha256(RULES) ? 'ours' : 'yours'
  return [{ part: 'rules', path, place, state }]
}

function hooksIn(client: Client, place: Place, looking: Looking): readonly Configured[] {
  const { hooks } = client
  const path = firstThere(looking.ground, hooks?.files[place])
  if (hooks === undefined || path === undefined) return []
  const kept = looking.manifest.find(path)?.entries.filter(({ part }) => part === 'hooks') ?? []
  const read = (text: string) =>
    kept.length > 0
      ? kept.every(({ trace }) => typeof EDITORS.json.takeOut(text, trace) === 'object')
      : hooks.entries('').every((entry) => EDITORS.json.stands(text, entry) === 'same') || undefined
  const found = valueIn(path, place, { looking, read })
  if (found === undefined || 'unreadable' in found) return []
  const allowed = hooks.areTrusted?.(looking.ground, path)
  const state = found.value === true && kept.length > 0 ? 'ours' : 'yours'
  return [{ part: 'hooks', path, place, state, ...(allowed === undefined ? {} : { allowed }) }]
}

type Found =
  | { readonly value: unknown }
  | { readonly unreadable: string; readonly mayHold: boolean }
  | undefined

function valueIn(
  path: string,
  place: Place,
  { looking: { ground, uid }, read }: { readonly looking: Looking; readonly read: (text: string) => unknown },
): Found {
  let text = ''
  try {
    const project = place === 'project' && ground.project !== undefined ? { project: ground.project } : {}
    ;({ text } = readGuarded(path, { ...project, uid, onlyToRead: true }))
    const value = read(text)
    return value === undefined ? undefined : { value }
  } catch (cause) {
    if (!ElfmemError.is(cause)) throw cause
    return { unreadable: cause.message, mayHold: text === '' || text.includes('elfmem') }
  }
}

/** The address in an entry for a remote server, whichever form it has. */
function urlOf(value: unknown): string | undefined {
  const { url, httpUrl, serverUrl } = Object(value) as Readonly<Record<string, unknown>>
  return [url, httpUrl, serverUrl].find((each): each is string => typeof each === 'string')
}

/** The command in an entry, whichever form it has. */
function launchOf(value: unknown): Launch | undefined {
  const { command, args = [] } = Object(value) as { readonly command?: unknown; readonly args?: unknown }
  const words = [command, args].flat().filter((word) => typeof word === 'string')
  const [first, ...rest] = words
  return first === undefined || first === '' ? undefined : { command: first, args: rest }
}
