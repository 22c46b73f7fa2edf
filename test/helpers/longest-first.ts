import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Suites of more than a minute, or of more than half of one in `npm test`: begun last, one would leave a core idle. */
const LONG: readonly string[] = [
  ...['faults/fault-walk.slow', 'fuzz/fuzz.slow', 'bench/benches.slow', 'undo/undo-sequences.slow'],
  ...['faults/file-walk.slow', 'graph/invariants.slow', 'attacks/trust.slow'],
  ...['undo/undo-sequences', 'fuzz/fuzz', 'graph/invariants', 'attacks/shared-pages', 'story/35-turns'],
]

/** Begins with the suites that take longest, the longest first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = LONG.findIndex((name) => moduleId.endsWith(`test/${name}.test.ts`))
      return found < 0 ? LONG.length : found
    }
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other))
  }
}
