import { type ChatRequest, type FakeEndpoint, fakeEndpoint, type Script } from './fake-endpoint.ts'

/** What the fake model thinks of the numbered texts of a question. */
export interface Opinion {
  readonly analysis?: (text: string) => {
    readonly alignment_score?: number
    readonly tags?: readonly string[]
    readonly summary?: string
  }
  readonly label?: (older: string, newer: string) => Readonly<Record<string, unknown>>
}

/** Which texts a question asks about: what stands between the marks of its fence, item by item. */
function itemsOf({ messages }: ChatRequest): string[] {
  const prompt = messages.findLast(({ role }) => role === 'user' || role === 'human')?.content ?? ''
  const asked = messages.find(({ role, content }) => role === 'user' && content.includes('<<memory'))?.content
  const fenced =
    (asked ?? prompt)
      .split(/<<memory [^>]*>>\n/)
      .at(-1)
      ?.split(/\n<<end [^>]*>>/)[0] ?? ''
  const items: string[] = []
  for (const line of fenced.split('\n')) {
    const begun = /^\d+\| (.*)$/s.exec(line)
    if (begun) items.push(begun[1] ?? '')
    else items.push(`${items.pop() ?? ''}\n${line.replace(/^ \| /, '')}`)
  }
  return items
}

/** Whether a question is about the relations of pairs. */
function asksForLabels({ messages }: ChatRequest): boolean {
  return messages.some(({ content }) => content.includes('"labels"'))
}

/** The answer of a well-behaved model to either question. */
export function answerOf(request: ChatRequest, { analysis, label }: Opinion = {}): unknown {
  const items = itemsOf(request)
  if (asksForLabels(request))
    return {
      labels: items.map((item, i) => {
        const [older = '', newer = ''] = item.replace(/^A: /, '').split('\nB: ')
        return { pair: i + 1, relation: 'elaborates', confidence: 0.9, ...label?.(older, newer) }
      }),
    }
  return {
    blocks: items.map((text, i) => ({
      item: i + 1,
      alignment_score: 0.2,
      tags: [],
      summary: text,
      ...analysis?.(text),
    })),
  }
}

/** A model's endpoint that judges blocks and labels pairs as it is told. */
export function judgingEndpoint(opinion: Opinion = {}, script: Script = {}): Promise<FakeEndpoint> {
  return fakeEndpoint({ answer: (request) => answerOf(request, opinion), ...script })
}
