import { ElfmemError } from '../../src/errors.ts'
import type { Store } from '../../src/ports/store/store.ts'
import type { StoreReader, StoreWriter } from '../../src/ports/store/transaction.ts'
import { type Fault, type FaultLine, Steps } from './fault.ts'

/** The name of the step that ends a write. */
export const COMMIT = 'COMMIT'

/** A store of which any call inside a transaction, or the end of one, can be made to fail; see `Fault`. */
export function createFailingStore(inner: Store): { readonly store: Store; readonly line: FaultLine } {
  let steps: Steps | undefined
  const line: FaultLine = {
    arm: (fault, onCommit) => {
      steps = new Steps(fault, onCommit)
    },
    disarm: () => {
      const { names = [], met = false } = steps ?? {}
      steps = undefined
      return { steps: names, met }
    },
  }
  return { store: failing(inner, () => steps), line }
}

function failing(inner: Store, steps: () => Steps | undefined): Store {
  return {
    location: inner.location,
    ...(inner.files === undefined ? {} : { files: inner.files }),
    get statements() {
      return inner.statements
    },
    within: (scope) => failing(inner.within(scope), steps),
    past: async (moment) => {
      const past = await inner.past(moment)
      return { ...past, store: failing(past.store, steps) }
    },
    version: () => inner.version(),
    close: () => inner.close(),
    read: (work) => inner.read((tx) => new Attempt(steps).run((of) => work(of(tx)))),
    write: async (work, options) => {
      let late: Fault | undefined
      const result = await inner.write(async (tx: StoreWriter) => {
        const done = await new Attempt(steps).run((of) => work(of(tx)))
        const fault = steps()?.begin(COMMIT)
        if (fault?.when === 'before') throw failureOf(fault)
        late = fault
        return done
      }, options)
      steps()?.committed()
      if (late) throw failureOf(late)
      return result
    },
  }
}

/** One transaction: after a failed call no other works, and it cannot be committed, whoever catches the failure. */
class Attempt {
  readonly #steps: () => Steps | undefined
  #failure: ElfmemError | undefined

  constructor(steps: () => Steps | undefined) {
    this.#steps = steps
  }

  async run<T>(work: (of: <Tx extends StoreReader>(tx: Tx) => Tx) => Promise<T>): Promise<T> {
    const done = await work((tx) => this.#wrap(tx))
    if (this.#failure) throw this.#failure
    return done
  }

  #wrap<Tx extends StoreReader>(tx: Tx): Tx {
    return new Proxy(tx, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name)
        if (typeof method !== 'function') return method
        return async (...given: unknown[]) => {
          if (this.#failure) throw this.#failure
          const fault = this.#steps()?.begin(String(name))
          if (fault?.when === 'before') throw this.#fail(fault)
          const answer: unknown = await Reflect.apply(method, target, given)
          if (fault) throw this.#fail(fault)
          return answer
        }
      },
    })
  }

  #fail(fault: Fault): ElfmemError {
    this.#failure = failureOf(fault)
    return this.#failure
  }
}

function failureOf({ code, at }: Fault): ElfmemError {
  return new ElfmemError(code, `Step ${at} failed on purpose.`, { recovery: 'Try again.' })
}
