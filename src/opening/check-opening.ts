import { nearest } from '../domain/text/nearest.ts'
import { ElfmemError } from '../errors.ts'
import { capabilityFrom } from '../flow/guard/caller.ts'
import type { EngineParts } from './open-engine.ts'

const OPTIONS: Readonly<Record<keyof EngineParts | 'config', true>> = {
  config: true,
  embedder: true,
  languageModel: true,
  store: true,
  clock: true,
  timer: true,
  ids: true,
  scope: true,
  actor: true,
  as: true,
  sessionMode: true,
  anew: true,
}

/** Throws `INVALID_INPUT` for a path that is none and for unknown options, so that a mistyped one is never ignored. */
export function checkOpening(path: unknown, options: object): void {
  if (path !== undefined && typeof path !== 'string')
    throw new ElfmemError('INVALID_INPUT', 'The first argument of openMemory is no path.', {
      recovery:
        "Pass the path of a file first, then the options: openMemory('memory.db', { config }). Without a path pass undefined.",
      details: { given: typeof path },
    })
  if ('as' in options && options.as !== undefined) capabilityFrom(options.as)
  const known = Object.keys(OPTIONS)
  const unknown = Object.keys(options).filter((key) => !known.includes(key))
  if (unknown.length === 0) return
  const said = unknown.map((key) => {
    const similar = nearest(key, known)
    return similar === undefined ? key : `${key} (did you mean ${similar}?)`
  })
  throw new ElfmemError('INVALID_INPUT', `openMemory takes no option ${said.join(', ')}.`, {
    recovery: `It takes ${known.join(', ')}; settings, such as recall.topK, go into config.`,
    details: { unknown, options: known },
  })
}
