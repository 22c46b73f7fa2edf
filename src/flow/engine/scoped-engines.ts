import { mustBeSameScope, normaliseScope } from '../../domain/block/scope.ts'
import type { Engine } from './engine.ts'

/** An engine before it is known what it works on. */
export type EngineBase = Omit<Engine, 'scope' | 'within' | 'index' | 'keptIndex'>

/** Makes an empty index of a scope, or of the whole store. */
export type CreateIndex = (scope?: string) => Pick<Engine, 'index' | 'keptIndex'>

/** The scope an engine is to be bound to, in its one spelling; throws `INVALID_INPUT` when it is none. */
export function boundScope(given: string | undefined): string | undefined {
  return given === undefined ? undefined : normaliseScope(given)
}

/** An engine that works in one scope of its store and can reach no other, with an index of that scope alone. */
export function engineIn(scope: string, base: EngineBase, createIndex: CreateIndex): Engine {
  const engine: Engine = {
    ...base,
    scope,
    store: base.store.within(scope),
    ...createIndex(scope),
    within: (asked) => {
      mustBeSameScope(scope, normaliseScope(asked))
      return engine
    },
  }
  return engine
}

/**
 * An engine on the whole store. Of the scopes it is asked to work in it keeps the engines of the `most` used last, so
 * that their indexes need not be built again.
 */
export function wholeEngine(base: EngineBase, createIndex: CreateIndex, most: number): Engine {
  const known = new Map<string, Engine>()
  const within = (asked: string): Engine => {
    const scope = normaliseScope(asked)
    const engine = known.get(scope) ?? engineIn(scope, base, createIndex)
    known.delete(scope)
    known.set(scope, engine)
    const [oldest] = known.keys()
    if (known.size > most && oldest !== undefined) known.delete(oldest)
    return engine
  }
  return { ...base, ...createIndex(), within }
}
