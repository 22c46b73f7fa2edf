import type { Reporter, TestSpecification } from 'vitest/node'

/** How long each project takes on two cores. */
const TAKES: Readonly<Record<string, string>> = {
  quick: 'about 4 minutes',
  slow: 'about 4 minutes',
  browser: 'about 1 minute',
  long: 'about an hour',
}

const EVERY_MS = 4_000

/** Says at the start how long a run takes, and every few seconds how far it is where no terminal shows it. */
export class Progress implements Reporter {
  readonly #seed: string
  #files = 0
  #ended = 0
  #tests = 0
  #told = ''
  #timer: NodeJS.Timeout | undefined

  constructor(seed: string) {
    this.#seed = seed
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    const names = [...new Set(specifications.map(({ project }) => project.name))]
    this.#files = specifications.length
    const whole = specifications.length > 10
    const takes = names.map((name) => (whole ? `${name} takes ${TAKES[name]}` : name)).join(', ')
    process.stdout.write(`${this.#files} files; on two cores ${takes}\n`)
    if (names.includes('long')) process.stdout.write(`FC_SEED=${this.#seed} repeats this run\n`)
    if (!process.stdout.isTTY) this.#timer = setInterval(() => this.#tell(), EVERY_MS).unref()
  }

  onTestCaseResult(): void {
    this.#tests += 1
  }

  onTestModuleEnd(): void {
    this.#ended += 1
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer)
  }

  #tell(): void {
    const line = `... ${this.#ended} of ${this.#files} files, ${this.#tests} tests\n`
    if (line !== this.#told) process.stdout.write(line)
    this.#told = line
  }
}
