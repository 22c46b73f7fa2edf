import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Suites that take longest, of each project: a core would be idle behind one that begins last. */
const LONG: readonly string[] = [
  ...['packed/packed.slow', 'hooks/served.slow', 'faults/fault-walk.slow', 'faults/processes.slow'],
  ...['faults/kill-rounds.slow', 'faults/restore-kill.slow', 'fuzz/fuzz', 'faults/model-faults'],
  ...['attacks/ranks', 'attacks/hostile-texts', 'attacks/owners-acts'],
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
