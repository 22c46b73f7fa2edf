import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { elfmem, HASHING, temporaryDirectory } from '../surfaces/helpers/cli.ts'

const BIN = join(import.meta.dirname, '..', '..', 'src', 'bin.ts')

test.runIf(process.platform === 'linux')(
  'the link is one argument of xdg-open, and no shell reads it',
  async () => {
    const home = temporaryDirectory()
    await elfmem(['remember', 'Tea is at four.'], { home })
    const bin = join(home, 'bin')
    mkdirSync(bin)
    const opened = join(home, 'opened.txt')
    writeFileSync(
      join(bin, 'xdg-open'),
      `#!/bin/sh\nprintf '%s|' "$#" "$@" > '${opened}.new' && mv '${opened}.new' '${opened}'\n`,
    )
    chmodSync(join(bin, 'xdg-open'), 0o755)
    const path = `${bin}:${process.env.PATH}`
    const child = spawn(process.execPath, [BIN, 'dashboard'], {
      cwd: home,
      env: { ...HASHING, HOME: home, PATH: path, DISPLAY: ':0' },
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [printed] = (await once(child.stdout, 'data')) as [Buffer]
    const { href } = new URL(String(printed).trim())
    await expect.poll(() => existsSync(opened)).toBe(true)
    expect(readFileSync(opened, 'utf8')).toBe(`1|${href}|`)
  },
)
