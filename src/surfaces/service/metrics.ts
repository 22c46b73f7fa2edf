/** Counts calls and how long they took, as Prometheus reads them; nothing of any memory or holder is in it. */
export class Metrics {
  readonly #counts = new Map<string, number>()
  readonly #seconds = new Map<string, { count: number; sum: number }>()

  /** Begins a call; what it returns ends it with `ok` or the code of an error. */
  begin(operation: string): (outcome: string) => void {
    const started = performance.now()
    return (outcome) => {
      const isOk = outcome === 'ok'
      this.#count(`operations_total{operation="${operation}",outcome="${isOk ? 'ok' : 'error'}"}`)
      if (!isOk) this.#count(`errors_total{code="${outcome}"}`)
      const seconds = this.#seconds.get(operation) ?? { count: 0, sum: 0 }
      this.#seconds.set(operation, seconds)
      seconds.count += 1
      seconds.sum += (performance.now() - started) / 1_000
    }
  }

  /** @param gauges other numbers, by their names without `elfmem_` */
  text(gauges: Readonly<Record<string, number>>): string {
    const lines = [
      ...['operations_total', 'errors_total'].flatMap((name) => [
        `# TYPE elfmem_${name} counter`,
        ...[...this.#counts].filter(([each]) => each.startsWith(name)).map(lineOf),
      ]),
      '# TYPE elfmem_operation_seconds summary',
      ...[...this.#seconds].flatMap(([operation, { count, sum }]) => [
        lineOf([`operation_seconds_sum{operation="${operation}"}`, sum]),
        lineOf([`operation_seconds_count{operation="${operation}"}`, count]),
      ]),
      ...Object.entries(gauges).flatMap((each) => [`# TYPE elfmem_${each[0]} gauge`, lineOf(each)]),
    ]
    return `${lines.join('\n')}\n`
  }

  #count(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }
}

function lineOf([name, value]: readonly [string, number]): string {
  return `elfmem_${name} ${value}`
}
