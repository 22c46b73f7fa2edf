import type { Engine } from './engine.ts'

/** Under which key of the store's settings an engine keeps something: each scope its own, the whole store its own. */
export function ownKey({ scope }: Pick<Engine, 'scope'>, key: string): string {
  return scope === undefined ? key : `${key} ${scope}`
}
