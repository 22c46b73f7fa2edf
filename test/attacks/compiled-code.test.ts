import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/memory.ts'
import { HASHING } from '../surfaces/helpers/cli.ts'

const BIN = join(import.meta.dirname, '..', '..', 'src', 'bin.ts')

test('compiled code is kept beside the code, and not in a folder of all users', () => {
  const [home, shared] = [temporaryFolder(), temporaryFolder()]
  const env = { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: shared, ...HASHING }
  execFileSync(process.execPath, [BIN, 'status'], { env, cwd: home })
  expect(existsSync(join(shared, 'node-compile-cache'))).toBe(false)
  expect(existsSync(join(import.meta.dirname, '../../node_modules/.cache/elfmem'))).toBe(true)
})
