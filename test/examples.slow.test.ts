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

/** Lists the lines that each example must print. A pattern stands for a line whose order or number may differ. */
const PRINTED: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  'ai-sdk.ts': [
    'Which port does staging use? 4210.\n',
    /^system: <memory ids="\w+" .*\n(.*\n)+?.*Answers to Nadia should be brief\./m,
    /^user: .*\n(.*\n)+?.*\[1\] Staging listens on port 4210\./m,
    /\[\d\] The release script is scripts\/ship\.sh\./,
  ],
  'anthropic.ts': ['/memories/elfmem/self.md', '     3\t- Staging listens on port 4211.\n'],
  'claude-agent.ts': [
    /"additionalContext":"<memory ids=.*Staging listens on port 4210\./,
    'learned: implicit: check\n',
  ],
  'frames.ts': ['7 parts, 2 framed, all of before kept\n', 'stored again: duplicate'],
  'import.ts': ['A release needs two reviews.', /2 .*known|known.* 2/i],
  'items.ts': [
    "port: { port: 4210, since: '2026-03-01' }\n",
    'found: kitchen tea { hour: 4 }\n',
    'after: port v2\nundone: port v1, tea v1\n',
  ],
  'langchain.ts': [
    'answer: I noted it.\nanswer: On port 4210.\n',
    /the model read:\nWhich port does staging listen on\?\s*<memory ids="[\s\S]*port 4210\./,
  ],
  'langgraph.ts': [
    'tea: Ana drinks tea in the morning.\nport: Staging listens on port 4210.\n',
    'facts: port\nnamespaces: asked, users/ana\n',
  ],
  'library.ts': ['3 notes taken in', '[1] Staging listens on port 4210.'],
  'openai-agents.ts': [
    'answer: On port 4210. - items kept: 3\n',
    /the model read: [\s\S]*<memory ids=.*port 4210\./,
  ],
  'scopes.ts': [
    'atlas: Staging of Atlas listens on port 4210.\n',
    'larder: Staging of Larder listens on port 4180.\n',
    'whole file: atlas, larder',
  ],
}

test.each(Object.entries(PRINTED))('the example %s prints what its memory found', async (name, expected) => {
  const out = await printed(name)
  for (const each of expected) expect(out).toMatch(each)
})

test('the example model.ts prints a judgement with a model, and that it was not judged without one', async () => {
  const endpoint = await judgingEndpoint({ analysis: () => ({ alignment_score: 0.9 }) })
  const out = await printed('model.ts', { LLM_BASE_URL: endpoint.url, LLM_MODEL: 'local' })
  expect(out).toContain('fits who the agent is: 0.9')
  expect(out).toMatch(/good, judged by local, \d+ tokens today/)
  const unanswered = await printed('model.ts', { LLM_BASE_URL: 'http://127.0.0.1:9/v1', LLM_MODEL: 'local' })
  expect(unanswered).toContain('fits who the agent is: not judged')
  expect(unanswered).toMatch(/^degraded, /m)
})

test('README links every example, and every example runs here', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  expect(readdirSync(join(root, 'examples')).toSorted()).toEqual(
    [...Object.keys(PRINTED), 'model.ts'].toSorted(),
  )
  for (const name of Object.keys(PRINTED)) expect(readme).toContain(`(examples/${name})`)
})
