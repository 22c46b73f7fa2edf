import type { Mutant } from './mutant.ts'

const test = 'test/fuzz/fuzz.slow.test.ts'

/** Breaks of what the fuzz suites hold, each looked at by its own suite. */
export const BOUNDARIES: readonly Mutant[] = [
  {
    breaks: 'what is kept is what was said',
    file: 'src/flow/guard/check-input.ts',
    from: 'if (isStorable(text)) return',
    to: 'if (text !== undefined) return',
    test,
    only: 'whatever an operation is called with',
  },
  {
    breaks: 'a refusal over MCP is an answer in our words',
    file: 'src/surfaces/mcp/tools.ts',
    from: 'return await failed(cause, served)',
    to: 'throw cause',
    test,
    only: 'whatever a client of MCP writes',
  },
  {
    breaks: 'no tool outside the set of a server is called',
    file: 'src/surfaces/mcp/tools.ts',
    from: 'if (operation !== undefined && isListed(operation, served.tools))',
    to: 'if (operation !== undefined)',
    test: 'test/surfaces/tool-sets.test.ts',
  },
  {
    breaks: 'a command line that means nothing is refused with what to do',
    file: 'src/surfaces/cli/flags.ts',
    from: 'const message = firstSentence((cause as Error).message)',
    to: `const message = firstSentence((cause as Error).message)\n    if (message !== '') throw cause`,
    test,
    only: 'whatever is typed',
  },
  {
    breaks: 'a setting out of its range is refused',
    file: 'src/adapters/project/settings-schema.ts',
    from: 'if (parsed.success) return parsed.data',
    to: 'return (parsed.data ?? raw) as Settings',
    test,
    only: 'whatever a config file or variable says',
  },
  {
    breaks: 'an import takes nothing in as something else',
    file: 'src/sqlite/transfer/import-rows.ts',
    from: `if (typeof value !== 'string' ||`,
    to: 'if (false ||',
    test: 'test/fuzz/found.test.ts',
  },
  {
    breaks: 'no heading of a document is lost',
    file: 'src/adapters/markdown/cut.ts',
    from: 'return !last && next !== undefined && wholePath(next.path, maxTokens) !== undefined',
    to: 'return !last && next !== undefined && maxTokens > 0',
    test,
    only: 'whatever a document holds',
  },
  {
    breaks: 'an argument that is not honoured is refused, not dropped',
    file: 'src/operations/operation.ts',
    from: 'input: operation.input.strict() as unknown as I',
    to: 'input: operation.input.strip() as unknown as I',
    test: 'test/surfaces/wrong-input.test.ts',
  },
  {
    breaks: 'an error of the library repeats no command for a terminal',
    file: 'src/operations/wording.ts',
    from: 'if (!ElfmemError.is(error)) return error',
    to: 'return error',
    test: 'test/attacks/terminal.test.ts',
    only: 'an error of the library',
  },
  {
    breaks: 'a word said a thousand times in a question is not looked up a thousand times',
    file: 'src/search/question.ts',
    from: 'const REPEATS_MOST = 8',
    to: 'const REPEATS_MOST = 8_000',
    test: 'src/search/question.test.ts',
  },
]
