import { basename } from 'node:path'
import { settingsInForce } from '../../adapters/project/settings/settings-in-force.ts'
import { mayDo } from '../../engine/engine.ts'
import type { OpenMemory } from '../../engine/open-memory.ts'
import { ElfmemError } from '../../errors.ts'
import { readsOnly } from '../../intake/check-input.ts'
import { principalOf } from './calls.ts'
import type { Holder } from './holders.ts'

/** Returns what a client knows of a memory before it calls anything. */
export async function aboutMemory(memory: OpenMemory, { memory: named, scope, capability }: Holder) {
  const within = scope ?? memory.scope
  return {
    // A holder has the path of a memory that is one file.
    ...{ name: basename(named, '.db'), ...(within === undefined ? {} : { scope: within }), capability },
    limits: memory.limits,
    shouldDream: await memory.shouldDream(),
    database: /^postgres(?:ql)?:/.test(memory.location) ? 'PostgreSQL' : 'SQLite',
  }
}

/** Returns all settings for an owner, but for the paths of files that set them. */
export function settingsOf({ project }: OpenMemory, { capability }: Holder) {
  if (capability !== 'owner')
    throw new ElfmemError('OWNER_ONLY', 'settings shows what only the owner sees.', {
      ...{ recovery: "Ask with an owner's token.", details: { needs: 'owner', is: capability } },
    })
  const all = settingsInForce(project.settings, project.sourceOf)
  const settings = all.map(({ source, ...each }) => ({
    ...each,
    ...(source !== undefined && /^\w+$/.test(source) ? { source } : {}),
  }))
  return { settings }
}

/** Begins or ends the session of a holder. */
export async function session(memory: OpenMemory, holder: Holder, asked: unknown) {
  if (!mayDo(holder, 'agent')) throw readsOnly(await principalOf('http', holder), 'session')
  const { action, taskType } = Object(asked) as Readonly<Record<string, unknown>>
  if (action === 'end' && taskType === undefined) return { hours: await memory.endSession() }
  if (action === 'begin' && (taskType === undefined || typeof taskType === 'string'))
    return { session: await memory.beginSession(taskType === undefined ? {} : { taskType }) }
  throw new ElfmemError('INVALID_INPUT', 'A session is begun or ended.', {
    recovery: 'Send { "action": "begin", "taskType": "…" } or { "action": "end" }.',
  })
}
