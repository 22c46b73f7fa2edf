import type { Mutant } from './mutant.ts'

/** Breaks of what is learned from traces. */
export const TRACES: readonly Mutant[] = [
  {
    breaks: 'two processes that settle one message count it once',
    file: 'src/flow/outcome/settle.ts',
    from: 'if (await isSettled(mutation.tx, mark))',
    to: 'if ((await isSettled(mutation.tx, mark)) && mark.key === "")',
    test: 'test/traces/strangers.test.ts',
    only: 'two processes',
  },
  {
    breaks: 'a correction is about what was done',
    file: 'src/domain/attribution/verdicts.ts',
    from: '.filter((token) => did.has(token))',
    to: '.filter((token) => did.has(token) || token !== "")',
    test: 'src/domain/attribution/verdicts.test.ts',
    only: 'a correction towards a block',
  },
  {
    breaks: 'what two blocks of a frame share is nobody’s evidence',
    file: 'src/domain/attribution/used-blocks.ts',
    from: 'for (const token of shared) places.delete(token)',
    to: 'for (const token of shared) if (token === "") places.delete(token)',
    test: 'test/traces/settle.test.ts',
    only: 'what two blocks of a frame share',
  },
  {
    breaks: 'what a tool answered has no place in a trace',
    file: 'src/operations/recall/settle.ts',
    from: "  z.strictObject({\n    kind: z.literal('tool'),",
    to: "  z.object({\n    kind: z.literal('tool'),",
    test: 'test/traces/strangers.test.ts',
    only: 'words that a web page puts',
  },
]
