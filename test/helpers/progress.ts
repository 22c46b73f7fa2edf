import type { Reporter, TestSpecification } from 'vitest/node'

const EVERY_MS = 4_000

/** Prints the seed of a long run, and without a terminal the progress every few seconds. */
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
    this.#files = specifications.length
    if (specifications.some(({ project }) => project.name === 'long'))
      process.stdout.write(`FC_SEED=${this.#seed} repeats this run\n`)
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
