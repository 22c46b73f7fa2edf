import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { judgingEndpoint } from './helpers/judging-endpoint.ts'
import { temporaryFolder } from './helpers/memory.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const exports = new Map(
  Object.entries(manifest.exports).filter((each) => typeof each[1] === 'object'),
) as ReadonlyMap<string, { readonly default: string }>
const examples = readdirSync(join(root, 'examples'))

/** The URL of the source of an entry of the package. */
function sourceOf(entry: string): string {
  const { default: built } = exports.get(entry)!
  const source = built.replace('./dist/', 'src/').replace(/\.js$/, '.ts')
  return pathToFileURL(join(root, source)).href
}

/** Returns what an example prints in an empty folder, with nothing of a user around. */
async function printed(name: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = temporaryFolder()
  const code = readFileSync(join(root, 'examples', name), 'utf8')
  expect(code).toContain("from 'elfmem'")
  const own = code.replaceAll(/'elfmem(\/[\w-]+)?'/g, (_, part = '') => `'${sourceOf(`.${part}`)}'`)
  writeFileSync(join(folder, 'example.mts'), own)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const { stdout, stderr } = await run(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', 'example.mts'],
    {
      cwd: folder,
      env: { HOME: folder, USERPROFILE: folder, ...env },
    },
  )
  expect(stderr).toBe('')
  return stdout
}

test('README links the examples, and each of them is run here', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  expect(examples.toSorted()).toEqual([
    'ai-sdk.ts',
    'anthropic.ts',
    'claude-agent.ts',
    'frames.ts',
    'import.ts',
    'items.ts',
    'langchain.ts',
    'langgraph.ts',
    'library.ts',
    'model.ts',
    'openai-agents.ts',
    'scopes.ts',
  ])
  for (const name of examples) expect(readme).toContain(`(examples/${name})`)
})

test('the example of the library finds what it remembered, though the words differ', async () => {
  const out = await printed('library.ts')
  expect(out).toContain('3 of 3 waiting blocks are active now')
  expect(out).toContain('[1] Staging listens on port 4210.')
})

test('in the example of items a value is read by its key, found by meaning, and taken back with its texts', async () => {
  const out = await printed('items.ts')
  expect(out).toContain("port: { port: 4210, since: '2026-03-01' }\n")
  expect(out).toContain('found: kitchen tea { hour: 4 }\n')
  expect(out).toContain('recalled: Staging listens on port 4210.\n')
  expect(out).toContain('after: port v2\nundone: port v1, tea v1\n')
})

test('in the example of frames every prompt begins with the one before, and a stored frame is an echo', async () => {
  const out = await printed('frames.ts')
  expect(out).toBe(
    [
      '3 parts, 1 framed, all of before kept',
      '4 parts, 1 framed, all of before kept',
      '7 parts, 2 framed, all of before kept',
      'stored again: duplicate - kept frames: frames',
      '',
    ].join('\n'),
  )
})

test('in the example of LangChain a thread is shown what another one remembered', async () => {
  const out = await printed('langchain.ts')
  expect(out).toContain('answer: I noted it.\nanswer: On port 4210.\n')
  const [, read = ''] = out.split('the model read:\n')
  expect(read).toMatch(/^Which port does staging listen on\?\s*<memory ids="/)
  expect(read).toContain('Staging listens on port 4210.')
})

test('in the example of the Claude Agent SDK memory comes with the prompt, and a check that passes again teaches', async () => {
  const out = await printed('claude-agent.ts')
  expect(out).toMatch(/"additionalContext":"<memory ids=.*Staging listens on port 4210\./)
  expect(out).toContain('learned: implicit: check\n')
})

test('in the example of LangGraph a node finds what fits the question', async () => {
  const out = await printed('langgraph.ts')
  expect(out).toBe(
    [
      'tea: Ana drinks tea in the morning.',
      'port: Staging listens on port 4210.',
      'facts: port',
      'namespaces: asked, users/ana',
      '',
    ].join('\n'),
  )
})

test('in the example of the OpenAI Agents SDK a conversation is shown what another one remembered', async () => {
  const out = await printed('openai-agents.ts')
  expect(out).toContain('answer: I noted it. - items kept: 4\nanswer: On port 4210. - items kept: 3\n')
  const [, read = ''] = out.split('the model read: ')
  const [frame, question] = JSON.parse(read) as { content: string }[]
  expect(frame!.content).toMatch(/^<memory ids="(?:.|\n)*Staging listens on port 4210\./)
  expect(question!.content).toBe('Which port does staging listen on?')
})

test('in the example of scopes neither project sees the other, and the whole file has both', async () => {
  const out = await printed('scopes.ts')
  expect(out).toContain('atlas: Staging of Atlas listens on port 4210.\n')
  expect(out).toContain('larder: Staging of Larder listens on port 4180.\n')
  expect(out).toMatch(/larder: .*no block/i)
  expect(out).toContain('whole file: atlas, larder')
  expect(out).toContain('of larder: 1')
})

test('in the example of a model what is remembered is judged, and without one the status says what failed', async () => {
  const endpoint = await judgingEndpoint({ analysis: () => ({ alignment_score: 0.9 }) })
  const told = { LLM_BASE_URL: endpoint.url, LLM_MODEL: 'local' }
  const out = await printed('model.ts', told)
  expect(out).toContain('fits who the agent is: 0.9')
  expect(out).toMatch(/good, judged by local, \d+ tokens today/)
  const unanswered = await printed('model.ts', { LLM_BASE_URL: 'http://127.0.0.1:9/v1', LLM_MODEL: 'local' })
  expect(unanswered).toContain('fits who the agent is: not judged')
  expect(unanswered).toMatch(/^degraded, /m)
})

test('the example of an import brings a memory and a document, and adds nothing twice', async () => {
  const out = await printed('import.ts')
  expect(out).toContain('A release needs two reviews.')
  expect(out).toMatch(/2 .*known|known.* 2/i)
})

test('in the example of the AI SDK the model gets who the agent is and what bears on the question, and remembers', async () => {
  const out = await printed('ai-sdk.ts')
  expect(out).toContain('Which port does staging use? 4210.\n')
  expect(out).toMatch(/^system: <memory ids="\w+" .*\n(.*\n)+?.*Answers to Nadia should be brief\./m)
  expect(out).toMatch(/^user: .*\n(.*\n)+?.*\[1\] Staging listens on port 4210\./m)
  expect(out).toContain('[1] The release script is scripts/ship.sh.')
})

test("in the example of Claude's memory tool what a file says is found by meaning, by Claude and by others", async () => {
  const out = await printed('anthropic.ts')
  expect(out).toContain('/memories/elfmem/self.md')
  expect(out).toContain('     3\t- Staging listens on port 4211.\n')
  expect(out.match(/Staging listens on port 4211\./g)).toHaveLength(3)
  expect(out.split('port 4210')).toHaveLength(1)
})
