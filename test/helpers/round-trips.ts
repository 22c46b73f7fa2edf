import type { Database, Rows, State } from '../../src/store/database.ts'

/** A round trip is what was asked before the line turned, such as `get blocks`. */
type RoundTrip = readonly string[]

/** A far database counts the round trips that a caller would wait for if its database were at the end of a line. */
export interface FarDatabase extends Database {
  /** The trips since the last look, in their order. */
  trips(): RoundTrip[]
  /** Calls with this name fail, until it is undefined. */
  fail: { readonly call: string; readonly failure: Error } | undefined
}

/** A call waits for the line, and then for as many turns as it runs statements. */
interface Call {
  readonly name: string
  readonly ask: () => Promise<unknown>
  readonly answered: (answer: unknown) => void
  readonly failed: (error: unknown) => void
}

/** The life of a transaction has its first failure. */
interface Life {
  failure?: unknown
}

/** The queries of a database whose methods are wrapped, whatever they are called. */
type Methods = Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>

/**
 * Puts a database at the end of a line. All that is asked before the event loop turns goes in one trip, as it would be pipelined; a call
 * that runs several statements takes as many trips. A transaction begins with what is asked first, a write with its state, and a commit
 * takes a trip. The end of a read takes none, because its answer is known and nothing waits for it.
 */
export function farDatabase(database: Database): FarDatabase {
  let waiting: Call[] = []
  const trips: string[][] = []
  let isTurning = false

  const turn = async () => {
    const calls = waiting
    waiting = []
    trips.push(calls.map(({ name }) => name))
    for (const { name, ask, answered, failed } of calls) {
      if (name === farther.fail?.call) {
        failed(farther.fail.failure)
        continue
      }
      const before = database.statements
      const result = await ask().then(
        (answer) => () => answered(answer),
        (error) => () => failed(error),
      )
      const more = database.statements - before - 1
      if (more > 0) again(name, more, result)
      else result()
    }
    isTurning = false
    if (waiting.length > 0) turnSoon()
  }
  const turnSoon = () => {
    if (isTurning) return
    isTurning = true
    setImmediate(() => void turn())
  }
  const add = (call: Call) => {
    waiting.push(call)
    turnSoon()
  }
  const again = (name: string, left: number, result: () => void) =>
    add({
      name: `… ${name}`,
      ask: async () => undefined,
      answered: () => (left > 1 ? again(name, left - 1, result) : result()),
      failed: result,
    })
  const wait = <T>(name: string, ask: () => Promise<T>): Promise<T> =>
    new Promise<unknown>((answered, failed) => add({ name, ask, answered, failed })) as Promise<T>

  const far = (rows: Rows, life: Life): Rows => {
    const named = (name: string) =>
      ((...args: unknown[]) => {
        // Nothing is asked about no rows.
        if (Array.isArray(args[1]) && args[1].length === 0) return Promise.resolve([])
        const [view] = args as [{ name?: string; table?: { name: string } } | undefined]
        const about = view?.table?.name ?? view?.name ?? ''
        const answer = wait(`${name} ${about}`.trim(), () => (rows as unknown as Methods)[name]!(...args))
        answer.catch((error: unknown) => (life.failure ??= error))
        return answer
      }) as never
    const queries = new Proxy(rows.queries, {
      get:
        (target, name) =>
        (...args: unknown[]) =>
          wait(String(name), () => (target as unknown as Methods)[String(name)]!(...args)),
    })
    return {
      scope: rows.scope,
      get whole() {
        return far(rows.whole, life)
      },
      queries,
      get: named('get'),
      touching: named('touching'),
      scan: named('scan'),
      count: named('count'),
      insert: named('insert'),
      put: named('put'),
      remove: named('remove'),
      trim: named('trim'),
      state: named('state'),
    }
  }
  const nothing = async () => undefined
  const farther: FarDatabase = {
    fail: undefined,
    location: database.location,
    isLasting: database.isLasting,
    get statements() {
      return database.statements
    },
    trips: () => trips.splice(0),
    version: () => wait('version', () => database.version()),
    scratch: (options) => database.scratch(options),
    read: (work, options) => database.read((rows) => work(far(rows, {})), options),
    write: (work, options) =>
      database.write(async (rows: Rows, state: State) => {
        const life: Life = {}
        await wait('begin', nothing)
        const result = await work(far(rows, life), state)
        // Insertions that the work has not awaited have no trip of their own.
        await wait('commit', nothing)
        if (life.failure !== undefined) throw life.failure
        return result
      }, options),
    close: () => database.close(),
  }
  return farther
}
