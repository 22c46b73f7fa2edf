import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { lstatSync, rmSync, writeFileSync } from 'node:fs'
import * as z from 'zod'
import { systemFiles } from '../../adapters/project/files.ts'
import { attempt, ElfmemError } from '../../errors.ts'
import { DASHBOARD_BOUNDS } from '../bounds.ts'

/** The part of a memory that a dashboard shows, and how: a second start must want the same. */
export interface InstanceFacts {
  readonly readOnly: boolean
  readonly scope?: string | undefined
}

/** The answer of a dashboard that runs to a second start. */
export interface Running extends InstanceFacts {
  readonly port: number
  /** A code for a link of its own. */
  readonly code: string
}

const kept = z.strictObject({
  pid: z.int(),
  port: z.int().min(1).max(65_535),
  secret: z.string().regex(/^[\w-]{43}$/),
})
type Kept = z.output<typeof kept>

const told = z.object({
  code: z.string().regex(/^[\w-]{22}$/),
  proof: z.string(),
  readOnly: z.boolean(),
  scope: z.string().optional(),
})

const NONCE = /^[\w-]{16,64}$/

/**
 * The file beside a memory that says where its dashboard runs. Who can read it, the user alone, shows so to the dashboard without
 * sending the secret, and the dashboard shows it back: whoever took its port meanwhile can do neither.
 */
export class Instance {
  readonly #path: string
  readonly #facts: InstanceFacts
  readonly #secret = randomBytes(32).toString('base64url')

  /** @param memory the path of its file */
  constructor(memory: string, facts: InstanceFacts) {
    this.#path = `${memory}-dashboard`
    this.#facts = facts
  }

  /** Writes the file; false if there is one, or a link. Throws if none can be written. */
  claim(port: number): boolean {
    const text = JSON.stringify({ pid: process.pid, port, secret: this.#secret } satisfies Kept)
    try {
      writeFileSync(this.#path, text, { flag: 'wx', mode: 0o600 })
      return true
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false
      throw cause
    }
  }

  /** Removes the file, if it is still that of this dashboard. */
  release(): void {
    if (readKept(this.#path)?.secret === this.#secret) rmSync(this.#path, { force: true })
  }

  /** The answer to who shows that it read the file; undefined for anybody else. */
  answer(asked: Readonly<Record<string, unknown>>, newCode: () => string): object | undefined {
    const { nonce, proof } = asked
    if (typeof nonce !== 'string' || typeof proof !== 'string' || !NONCE.test(nonce)) return undefined
    if (!isSame(proof, proofOf(this.#secret, 'ask', nonce))) return undefined
    const code = newCode()
    return { code, proof: proofOf(this.#secret, 'answer', `${nonce} ${code}`), ...this.#facts }
  }
}

/**
 * Asks the dashboard of a memory that may run already for a code. Undefined where none runs; the file that one left is removed.
 *
 * @throws `INVALID_INPUT` for something else of that name: no link is followed, and nothing of others is removed
 */
export async function findRunning(memory: string): Promise<Running | undefined> {
  const path = `${memory}-dashboard`
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  if (!found.isFile() || (process.getuid !== undefined && found.uid !== process.getuid()))
    throw new ElfmemError(
      'INVALID_INPUT',
      `${path} is no file of a dashboard of yours, and no link is followed.`,
      { recovery: 'Remove it, then start the dashboard again.', details: { path } },
    )
  const file = readKept(path)
  const running = file === undefined ? undefined : await ask(file)
  if (running !== undefined) return running
  // Another start may have replaced it meanwhile.
  if (readKept(path)?.secret === file?.secret) rmSync(path, { force: true })
  return undefined
}

/** Returns what a file says that is the user's alone: what others could read or write says nothing. */
function readKept(path: string): Kept | undefined {
  return attempt(() => {
    if (process.platform !== 'win32' && (lstatSync(path).mode & 0o077) !== 0) return undefined
    const uid = process.getuid?.()
    const rules = { noLink: true, owner: uid }
    return kept.parse(JSON.parse(systemFiles.read(path, rules) ?? ''))
  })
}

async function ask({ port, secret }: Kept): Promise<Running | undefined> {
  const nonce = randomBytes(16).toString('base64url')
  try {
    const response = await fetch(`http://127.0.0.1:${port}/api/code`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ nonce, proof: proofOf(secret, 'ask', nonce) }),
      redirect: 'error',
      signal: AbortSignal.timeout(DASHBOARD_BOUNDS.askMs),
    })
    const { proof, ...running } = told.parse(await response.json())
    const isKnown = isSame(proof, proofOf(secret, 'answer', `${nonce} ${running.code}`))
    return isKnown ? { ...running, port } : undefined
  } catch {
    return undefined
  }
}

function proofOf(secret: string, direction: 'ask' | 'answer', said: string): string {
  return createHmac('sha256', secret).update(`${direction} ${said}`).digest('base64url')
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
