import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryFolder } from './helpers/memory.ts'

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

test("the README's library quick start finds what it remembered, though the words differ", async () => {
  const place = freshPlace()
  const [code = ''] = codeBlocks('ts')
  const index = pathToFileURL(join(root, 'src/index.ts')).href
  writeFileSync(join(place.cwd, 'quick-start.mts'), code.replace("'elfmem'", `'${index}'`))
  const { stdout } = await run(process.execPath, ['--no-warnings', 'quick-start.mts'], place)
  expect(stdout).toContain('Staging listens on port 4210.')
})

test("the README's commands work in an empty folder with nothing configured", async () => {
  const place = freshPlace()
  const commands = codeBlocks('sh').find((code) => code.includes('npx elfmem remember')) ?? ''
  const outputs: string[] = []
  for (const line of commands.split('\n')) {
    const [, rest] = /^npx elfmem (.*?)(?: +#.*)?$/.exec(line) ?? []
    if (rest === undefined || rest === 'demo') continue
    const argv = [...rest.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
    const { stdout, stderr } = await run(process.execPath, [join(root, 'src/bin.ts'), ...argv], place)
    expect(stderr).not.toContain('Warning')
    outputs.push(stdout)
  }
  expect(outputs).toHaveLength(3)
  expect(outputs[2]).toContain('Staging listens on port 4210.')
})
