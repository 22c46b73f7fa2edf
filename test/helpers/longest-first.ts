import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Suites that take longest, of each project: a core would be idle behind one that begins last. */
const LONG: readonly string[] = [
  ...['packed/packed.slow', 'hooks/served.slow', 'faults/fault-walk.slow', 'faults/processes.slow'],
  ...['faults/kill-rounds.slow', 'faults/restore-kill.slow', 'attacks/hostile-texts', 'attacks/door-walk'],
  ...['faults/model-faults', 'attacks/bounded-inputs', 'fuzz/fuzz'],
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
