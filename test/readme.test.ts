import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, test } from 'vitest'
import { temporaryFolder } from './helpers/memory.ts'
import { twoLinesProgram } from './helpers/two-lines.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')

function codeBlocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, code]) => code ?? '',
  )
}

/** A place where nothing of elfmem is yet: no home, no project, no settings. */
function freshPlace() {
  const folder = temporaryFolder()
  const env = { ...process.env, HOME: folder, USERPROFILE: folder, NO_COLOR: '1' }
  for (const name of Object.keys(env)) if (name.startsWith('ELFMEM_')) delete env[name as keyof typeof env]
  return { cwd: folder, env }
}

test('the library quick start prints the memory that answers its question', async () => {
  const place = freshPlace()
  const [code = ''] = codeBlocks('ts')
  const index = pathToFileURL(join(root, 'src/index.ts')).href
  writeFileSync(join(place.cwd, 'quick-start.mts'), code.replace("'elfmem'", `'${index}'`))
  const { stdout } = await run(process.execPath, ['--no-warnings', 'quick-start.mts'], place)
  expect(stdout).toContain('Staging listens on port 4210.')
})

test('the two lines of the AI SDK put a memory before the model and let it remember', async () => {
  const place = freshPlace()
  const urlOf = (path: string) => pathToFileURL(join(root, path)).href
  const from = { root: urlOf('src/index.ts'), aiSdk: urlOf('src/integrations/ai-sdk/index.ts') }
  writeFileSync(join(place.cwd, 'two-lines.mts'), twoLinesProgram(from))
  symlinkSync(join(root, 'node_modules'), join(place.cwd, 'node_modules'))
  const { stdout } = await run(process.execPath, ['--no-warnings', 'two-lines.mts'], place)
  expect(stdout).toMatch(/^It is 4210\. .*<memory .*Staging listens on port 4210\./)
  expect(stdout).toContain('[1] Releases go out on Tuesdays.')
})

/** The outputs of the commands in the first block of a shell that holds a text, but of the demo. */
async function outputsOf(holds: string, place: ReturnType<typeof freshPlace>): Promise<string[]> {
  const commands = codeBlocks('sh').find((code) => code.includes(holds)) ?? ''
  const outputs: string[] = []
  for (const line of commands.split('\n')) {
    const [, rest] = /^npx elfmem (.*?)(?: +#.*)?$/.exec(line) ?? []
    if (rest === undefined || rest === 'demo') continue
    const argv = [...rest.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
    const { stdout, stderr } = await run(process.execPath, [join(root, 'src/bin.ts'), ...argv], place)
    expect(stderr).not.toContain('Warning')
    outputs.push(stdout)
  }
  return outputs
}

test('the commands run in an empty folder, and recall prints the answer that the page shows', async () => {
  const place = freshPlace()
  const outputs = await outputsOf('npx elfmem remember', place)
  expect(outputs).toHaveLength(3)
  expect(outputs[2]).toContain('Staging listens on port 4210.')
  const [answer = 'no answer'] = codeBlocks('text')
  const dateless = (text = '') => text.trim().replaceAll(/\d{4}-\d\d-\d\d/g, 'a day')
  expect(dateless(outputs[2])).toBe(dateless(answer))
})

test('the commands of correction run on what the quick start remembered', async () => {
  const place = freshPlace()
  await outputsOf('npx elfmem remember', place)
  const [changed, undone, shown] = await outputsOf('npx elfmem edit', place)
  expect(changed).toContain('Changed content of c1760a95')
  expect(undone).toContain('edit: changed content')
  expect(shown?.split('\n')[0]).toBe('Staging listens on port 4210.')
})

test('the numbers of the comparison are those of docs/benchmarks.md', () => {
  const page = readFileSync(join(root, 'docs/benchmarks.md'), 'utf8')
  /** The cells of each row of a table by the name in its first one. */
  const rowsOf = (text: string) =>
    new Map(
      [...text.matchAll(/^\| (?!---)(.*) \|$/gm)].map(([, row = '']) => {
        const [name = '', ...cells] = row.split('|').map((cell) => cell.trim())
        return [name, cells] as const
      }),
    )
  const tableOf = (part: string) => {
    const [, table = ''] = new RegExp(`<!-- bench:${part} -->([\\s\\S]*?)<!-- /bench -->`).exec(page) ?? []
    return rowsOf(table)
  }
  const found = tableOf('peers/found')
  const search = tableOf('peers/search')
  const adding = tableOf('peers/adding')
  const median = (cell = '') => cell.split(' / ')[0]
  const [, section = ''] = readme.split('## How it compares')
  const [ours = '', taken = ''] = (section.split('\n## ')[0] ?? '').split('What it takes to have one:')
  const rows = [...rowsOf(ours)].slice(1)
  expect(rows.map(([name]) => name)).toEqual([...adding.keys()].slice(1))
  for (const [name, cells] of rows) {
    const [add, findable, , disk] = adding.get(name) ?? []
    expect(cells, name).toEqual([
      found.get(name)?.[1],
      median(search.get(name)?.[2]),
      median(add),
      findable,
      disk,
    ])
  }
  const tools = tableOf('peers/tools')
  const footprint = [...tableOf('peers/footprint')].slice(1)
  expect([...rowsOf(taken)].slice(1)).toEqual(
    footprint.map(([name, [install, ...times]]) => [
      name,
      [install, ...times.map((each) => median(each)), tools.get(name)?.[2]],
    ]),
  )
})

test('the snippet that init prints starts a server that remembers into the project', async () => {
  const place = freshPlace()
  const { stdout } = await run(process.execPath, [join(root, 'src/bin.ts'), 'init', '--json'], place)
  const { mcp, database } = JSON.parse(stdout)
  const { command, args } = mcp.mcpServers.elfmem
  const env = Object.fromEntries(
    Object.entries(place.env).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  )
  const client = new Client({ name: 'a client', version: '1' })
  // A client may start its servers anywhere.
  await client.connect(new StdioClientTransport({ command, args, env, cwd: tmpdir(), stderr: 'ignore' }))
  await client.callTool({ name: 'elfmem_remember', arguments: { content: 'Tea is at four.' } })
  await client.close()
  const listed = await run(
    process.execPath,
    [join(root, 'src/bin.ts'), 'ls', '--status', 'inbox', '--db', database],
    place,
  )
  expect(listed.stdout).toContain('Tea is at four.')
})
