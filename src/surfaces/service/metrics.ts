/** Seconds at which the buckets of the histogram end. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]

interface Times {
  readonly counts: number[]
  count: number
  sum: number
}

/** Counts calls and how long they took, as Prometheus reads them; nothing of any memory or holder is in it. */
export class Metrics {
  readonly #calls = new Map<string, number>()
  readonly #errors = new Map<string, number>()
  readonly #times = new Map<string, Times>()

  /** Begins a call; what it returns ends it with `ok` or the code of an error. */
  begin(operation: string): (outcome: string) => void {
    const started = performance.now()
    return (outcome) => {
      const isOk = outcome === 'ok'
      add(this.#calls, `operation="${operation}",outcome="${isOk ? 'ok' : 'error'}"`)
      if (!isOk) add(this.#errors, `code="${outcome}"`)
      const seconds = (performance.now() - started) / 1_000
      const times = this.#times.get(operation) ?? { counts: BOUNDS.map(() => 0), count: 0, sum: 0 }
      this.#times.set(operation, times)
      times.count += 1
      times.sum += seconds
      for (const [at, bound] of BOUNDS.entries())
        if (seconds <= bound) times.counts[at] = (times.counts[at] ?? 0) + 1
    }
  }

  /** @param gauges other numbers, by their names without `elfmem_` */
  text(gauges: Readonly<Record<string, number>>): string {
    const counters = (name: string, values: ReadonlyMap<string, number>) => [
      `# TYPE elfmem_${name} counter`,
      ...[...values].map(([labels, value]) => `elfmem_${name}{${labels}} ${value}`),
    ]
    const histogram = [...this.#times].flatMap(([operation, { counts, count, sum }]) => {
      const label = `operation="${operation}"`
      const bucket = (le: number | string, value = 0) =>
        `elfmem_operation_seconds_bucket{${label},le="${le}"} ${value}`
      return [
        ...BOUNDS.map((bound, at) => bucket(bound, counts[at])),
        bucket('+Inf', count),
        `elfmem_operation_seconds_sum{${label}} ${sum}`,
        `elfmem_operation_seconds_count{${label}} ${count}`,
      ]
    })
    const lines = [
      ...counters('operations_total', this.#calls),
      ...counters('errors_total', this.#errors),
      ...['# TYPE elfmem_operation_seconds histogram', ...histogram],
      ...Object.entries(gauges).flatMap(([name, value]) => [
        `# TYPE elfmem_${name} gauge`,
        `elfmem_${name} ${value}`,
      ]),
    ]
    return `${lines.join('\n')}\n`
  }
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
