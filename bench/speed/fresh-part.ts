import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { median } from '../lib/statistics.ts'
import { cheapEmbedder } from './cheap-embedder.ts'
import { questionAbout } from './sentences.ts'
import { type Timing, timing } from './timed.ts'

/** A new process that opens a memory and recalls, question vectors given, with the built library. */
export interface FreshPart {
  readonly blocks: number
  /** Milliseconds from opening to the first answer, effects included. */
  readonly openAndRecall: Timing
  /** Milliseconds from the start of the process to the first answer, loading the code included. */
  readonly whole: Timing
  /** After 21 recalls; absent where the system does not tell. */
  readonly residentMegabytes?: number
  readonly peakMegabytes?: number
}

export interface FreshRun {
  /** The built `index.js`. */
  readonly library: string
  readonly path: string
  /** A folder to write the program into. */
  readonly folder: string
  readonly blocks: number
  readonly runs: number
}

interface Answer {
  readonly found: number
  readonly openAndRecall: number
  readonly whole: number
  readonly residentKilobytes?: number
  readonly peakKilobytes?: number
}

const QUESTIONS = 20

/** Starts the process several times, one after the other. */
export async function measureFresh({ library, path, folder, blocks, runs }: FreshRun): Promise<FreshPart> {
  const source = readFileSync(new URL('./fresh-process.ts', import.meta.url), 'utf8')
  const program = join(folder, 'fresh-process.mjs')
  // Stripped here, so that the measured process does not hold the compiler that would do it (18 MB).
  writeFileSync(program, stripTypeScriptTypes(source))
  const queries = Array.from({ length: QUESTIONS }, (_, i) => questionAbout((i * 7_919) % blocks))
  const embedder = cheapEmbedder()
  const vectors = await embedder.embed(queries)
  const questions = queries.map((query, i) => ({ query, vector: [...(vectors[i] as Float32Array)] }))
  const job = JSON.stringify({ library: pathToFileURL(library).href, path, model: embedder.model, questions })
  const answers: Answer[] = []
  for (let i = 0; i < runs; i++) answers.push(await start(program, job))
  const middle = (key: 'residentKilobytes' | 'peakKilobytes') => {
    const known = answers.flatMap((answer) => answer[key] ?? [])
    return known.length === 0 ? undefined : median(known) / 1000
  }
  const [residentMegabytes, peakMegabytes] = [middle('residentKilobytes'), middle('peakKilobytes')]
  return {
    blocks,
    openAndRecall: timing(answers.map((answer) => answer.openAndRecall)),
    whole: timing(answers.map((answer) => answer.whole)),
    ...(residentMegabytes === undefined ? {} : { residentMegabytes }),
    ...(peakMegabytes === undefined ? {} : { peakMegabytes }),
  }
}

async function start(program: string, job: string): Promise<Answer> {
  const child = spawn(process.execPath, ['--no-warnings', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(job)
  const answer = JSON.parse(await text(child.stdout)) as Answer
  if (answer.found === 0) throw new Error('a fresh process opened the memory and found nothing')
  return answer
}
