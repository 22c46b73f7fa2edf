import type { Mutant } from './mutant.ts'

const PROMPTS = 'test/integrations/ai-sdk/with-memory.test.ts'
const TOOLS = 'test/integrations/tools.test.ts'
const FILES = 'test/integrations/anthropic/memory-files.test.ts'

/** Breaks of what frameworks are promised. */
export const INTEGRATIONS: readonly Mutant[] = [
  {
    breaks: 'a model is an agent, whatever the program is',
    file: 'src/integrations/shared/tools.ts',
    from: "mayDo(opened.principal, 'agent') ? 'agent' : 'reader'",
    to: 'opened.principal.capability',
    test: TOOLS,
  },
  {
    breaks: 'a model stays in its scope',
    file: 'src/integrations/shared/tools.ts',
    from: 'const scope = as.scope ?? principal.scope',
    to: 'const scope = principal.scope',
    test: TOOLS,
  },
  {
    breaks: 'scopes share no frames',
    file: 'src/integrations/ai-sdk/with-memory.ts',
    from: "scope = memory.scope ?? ''",
    to: "_scope?: string, scope = ''",
    test: PROMPTS,
  },
  {
    breaks: 'a half answer is not remembered',
    file: 'src/integrations/ai-sdk/with-memory.ts',
    from: '      calls ||= isCall(part)',
    to: '      isWhole = true\n      void tell(text)\n      calls ||= isCall(part)',
    test: PROMPTS,
  },
  {
    breaks: 'the last words alone are the answer',
    file: 'src/integrations/ai-sdk/with-memory.ts',
    from: 'if (!result.content.some(isCall)) await',
    to: 'await',
    test: PROMPTS,
  },
  {
    breaks: 'a call that is made again is no loop',
    file: 'src/integrations/ai-sdk/with-memory.ts',
    from: 'framing.behind(messages, { isFirst })',
    to: 'framing.behind(messages)',
    test: PROMPTS,
  },
  {
    breaks: 'a frame that the user pastes is no question',
    file: 'src/domain/conversation/question.ts',
    from: 'withoutFences(message).text.trim()',
    to: 'message',
    test: 'src/domain/conversation/question.test.ts',
  },
  {
    breaks: 'who the agent is stands once in a prompt',
    file: 'src/frames/conversation.ts',
    from: 'without.length === 0 ? {} : { without }',
    to: '{}',
    test: PROMPTS,
  },
  {
    breaks: 'small talk is no memory',
    file: 'src/integrations/shared/turns.ts',
    from: 'if (isSmallTalk(own)) return []',
    to: '',
    test: 'test/integrations/openai-agents/session.test.ts',
  },
  {
    breaks: 'a message that looks like a frame stays in its conversation',
    file: 'src/integrations/openai-agents/recall-input.ts',
    from: '!isOurs(history, at) ||',
    to: '!isFrame(history[at] as AgentInputItem) ||',
    test: 'test/integrations/openai-agents/run.test.ts',
  },
  {
    breaks: 'of two changes of a file none is lost',
    file: 'src/flow/items/write.ts',
    from: 'if (ifVersion === undefined || ifVersion === found) return',
    to: 'if (ifVersion !== -1) return',
    test: FILES,
  },
  {
    breaks: 'no path leaves the folder of files',
    file: 'src/integrations/anthropic/paths.ts',
    from: 'if (resolved !== root && !resolved',
    to: "if (resolved === 'nowhere' && !resolved",
    test: FILES,
  },
  {
    breaks: 'files of the memory itself are not written',
    file: 'src/integrations/anthropic/memory-files.ts',
    from: 'if (this.#virtual?.owns(parts)) refuse',
    to: "if (path === 'x') refuse",
    test: FILES,
  },
]
