import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ElfmemError } from '../../src/errors.ts'
import { temporaryFolder } from '../helpers/memory.ts'
import { CASES } from './cases.ts'
import { dumpOf, essenceOf, problemsBeside } from './dump.ts'
import { copyOf, openSame, prepare, quickFolder } from './prepared.ts'

const PAGE = 4096

test('an operation that finds no room leaves the file whole and its own words, and works once there is room', async () => {
  const prepared = await prepare(quickFolder())
  const met: string[] = []
  for (const [name, each] of Object.entries(CASES)) {
    const path = copyOf(prepared)
    const before = essenceOf(path)
    const sqlite = { maxPages: statSync(path).size / PAGE }
    const cramped = await openSame(path, { ...each, sqlite })
    const error: unknown = await each.run(cramped.memory, prepared.known).then(
      () => undefined,
      (cause: unknown) => cause,
    )
    if (ElfmemError.is(error)) {
      met.push(name)
      expect([name, error.code, error.recovery]).toEqual([
        name,
        'STORE_FULL',
        expect.stringMatching(/room|space/),
      ])
      // Operations of many transactions keep those that found room.
      if (!MANY.has(name)) expect([name, essenceOf(path)]).toEqual([name, before])
    }
    expect([name, error === undefined || ElfmemError.is(error)]).toEqual([name, true])
    expect([name, ...problemsBeside(path)]).toEqual([name])
    await cramped.close().catch((closing: unknown) => expect(ElfmemError.is(closing)).toBe(true))
    const roomy = await openSame(path, { ...each, name: 'roomy' })
    await each.run(roomy.memory, prepared.known).catch((refusal: unknown) => {
      expect([name, ElfmemError.is(refusal) && refusal.code]).toEqual([name, each.againRefused])
    })
    expect([name, ...problemsBeside(path)]).toEqual([name])
    await roomy.close()
  }
  process.stdout.write(`no room met by ${met.join(', ')}\n`)
  expect(met).toEqual(expect.arrayContaining(['rememberMany', 'learnDocument']))
})

const MANY = new Set(['rememberMany', 'learnDocument', 'importFrom', 'dream', 'curate', 'reembed'])

/** Mounts a file system, if this user may; it goes when the test ends. */
function mounted(folder: string, ...options: readonly string[]): boolean {
  try {
    execFileSync('mount', [...options, folder], { stdio: 'ignore' })
  } catch {
    return false
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]))
  return true
}

test('a full disk loses nothing that was acknowledged, and is over when there is room again', async ({
  skip,
}) => {
  const disk = join(temporaryFolder(), 'disk')
  mkdirSync(disk)
  if (!mounted(disk, '-t', 'tmpfs', '-o', 'size=8m', 'tmpfs')) skip('only root may mount a small disk')
  const path = join(disk, 'memory.db')
  const { memory, close } = await openSame(path)
  writeFileSync(join(disk, 'ballast'), new Uint8Array(6_000_000))
  const told: string[] = []
  const fill = async () => {
    for (let i = 0; ; i++) {
      await memory.remember({ content: `Crate ${i} ${'of salt '.repeat(400)}` })
      told.push(`Crate ${i} `)
    }
  }
  await expect(fill()).rejects.toMatchObject({ code: 'STORE_FULL', recovery: expect.stringMatching(/space/) })
  expect(told.length).toBeGreaterThan(10)
  const full = dumpOf(path).blocks?.split('\n') ?? []
  expect(told.filter((each) => !full.some((row) => row.includes(each)))).toEqual([])
  expect(full).toHaveLength(told.length)
  rmSync(join(disk, 'ballast'))
  await memory.remember({ content: 'There is room again' })
  await memory.dream()
  expect((await memory.status()).inboxCount).toBe(0)
  expect(problemsBeside(path)).toEqual([])
  await close()
})

test('a memory on a read-only disk is refused as such, even to root', async ({ skip }) => {
  const prepared = await prepare(temporaryFolder())
  const disk = join(temporaryFolder(), 'disk')
  mkdirSync(disk)
  if (!mounted(disk, '-t', 'tmpfs', '-o', 'size=8m', 'tmpfs')) skip('only root may mount a disk')
  copyFileSync(prepared.path, join(disk, 'memory.db'))
  execFileSync('mount', ['-o', 'remount,ro', disk])
  for (const name of ['memory.db', 'another.db'])
    await expect(openSame(join(disk, name))).rejects.toMatchObject({
      code: 'STORE_READ_ONLY',
      recovery: expect.stringMatching(/path/),
    })
})
