import { restBeforeDream } from '../../domain/advice/rest.ts'
import { AT_REST_MS } from '../blocks/embed-waiting.ts'
import type { DreamResult } from '../dream/dream-result.ts'
import { dreamDue } from '../engine/dream-policy.ts'
import { AUTO, type Engine } from '../engine/engine.ts'
import { RESCORE } from '../judge/pending-judgements.ts'
import { giveLeaseBack, LEASE_MS, readRest, takeLease } from './lease.ts'

/** The parts that a dream at rest depends on while it lasts. */
export interface RestTurn {
  /** Lets others have their turn; false once a call came in or the memory closes. */
  readonly goesOn: () => Promise<boolean>
  /** Aborted when the memory closes. */
  readonly signal: AbortSignal
}

/** The dreams of one memory while nobody asks it anything. */
export class DreamAtRest {
  readonly #engine: Engine
  /** A call ended the last one; the rest of its blocks is due, however few there are. */
  #hasMore = false

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Milliseconds without a call before it is worth a look. */
  get quietMs(): number {
    return this.#engine.settings.memory.autoDreamQuietSeconds * 1000
  }

  /**
   * Dreams if a dream is due, all was quiet and no other process dreams. Returns in how many milliseconds to look again.
   * Cost if it does not: one read of four statements.
   */
  async run(turn: RestTurn): Promise<number> {
    const wait = await this.#wait()
    if (wait > 0) return wait
    if (!(await takeLease(this.#engine))) return LEASE_MS
    let dreamtAt: string | undefined
    try {
      const { processed } = await this.#dream(turn)
      if (processed > 0) dreamtAt = new Date(this.#engine.clock.now()).toISOString()
    } finally {
      await giveLeaseBack(this.#engine, dreamtAt)
    }
    return this.quietMs
  }

  #wait(): Promise<number> {
    const { store, clock, rest } = this.#engine
    return store.read(async (tx) => {
      const waiting = await tx.waiting()
      const { isDue } = await dreamDue(tx, this.#engine, waiting)
      const { wallMs } = await tx.clock()
      return restBeforeDream(
        {
          isDue: isDue || (this.#hasMore && waiting > 0),
          now: clock.now(),
          lastCall: wallMs,
          lease: (await readRest(tx)).lease,
          holder: rest.holder,
        },
        { quiet: this.quietMs, lease: LEASE_MS },
      )
    })
  }

  async #dream({ goesOn, signal }: RestTurn): Promise<DreamResult> {
    const { settings, rest } = this.#engine
    // Loaded by the first dream only.
    const { dream } = await import('../dream/dream.ts')
    const request = {
      maxSeconds: settings.memory.dreamSeconds,
      hostAnalyses: {},
      edgeLabels: [],
      noLlm: rest.mode === 'rules',
      rescore: false,
      rescoreMax: RESCORE.mostPerRun,
      pace: { batchMs: AT_REST_MS, goesOn: this.#holding(goesOn) },
    }
    this.#hasMore = true
    const result = await dream(this.#engine, request, { actor: AUTO, signal })
    this.#hasMore = result.inboxRemaining > 0
    rest.trouble = undefined
    return result
  }

  /** The lease is taken again in good time; a dream that lost it ends. */
  #holding(goesOn: RestTurn['goesOn']): RestTurn['goesOn'] {
    const { clock } = this.#engine
    let taken = clock.now()
    return async () => {
      if (clock.now() - taken > LEASE_MS / 2) {
        taken = clock.now()
        if (!(await takeLease(this.#engine))) return false
      }
      return goesOn()
    }
  }
}
