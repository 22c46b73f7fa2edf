import { type Block, isOwn } from '../../block/block.ts'
import { preview, shown, shownLine } from '../../block/text.ts'
import { hasEnded } from '../../block/validity.ts'
import { mustBeWhole, noteCopyElsewhere } from '../../care/files-of.ts'
import type { Engine } from '../../engine/engine.ts'
import { ElfmemError } from '../../errors.ts'
import { confidenceOf } from '../../outcome/formulas.ts'
import { readIndex } from '../../recall/match.ts'
import { STRATEGY, situationOf } from '../../recall/strategies.ts'
import { readPage } from '../../store/blocks.ts'
import { shortId } from '../wording.ts'

/** The most strategies that are written at once. */
const SKILLS_MOST = 1_000
/** The longest line in bytes of a file that may be a skill of elfmem. */
const LINE_BYTES = 1_000_000

/**
 * Writes proven strategies as skills for coding agents, a folder each (docs/strategies.md). A file that elfmem did not write, or that
 * somebody changed since, stays.
 */
export async function exportSkills(engine: Engine, path: string) {
  mustBeWhole(engine)
  const written = { bytes: 0, blocks: 0 }
  const stayed: string[] = []
  try {
    for (const block of await provenStrategies(engine)) {
      const { name, lines } = skillOf(engine, block)
      const file = `${path}/${name}/SKILL.md`
      if (!(await mayWrite(engine, file))) stayed.push(file)
      else {
        written.bytes += await engine.texts.write(file, each(lines), { replace: true })
        written.blocks += 1
      }
    }
  } finally {
    if (written.blocks > 0) await noteCopyElsewhere(engine, path)
  }
  return { path, ...written, stayed }
}

async function provenStrategies(engine: Engine): Promise<Block[]> {
  await readIndex(engine, engine.experience)
  const asked = { category: STRATEGY, status: 'active', order: 'proved', limit: SKILLS_MOST } as const
  const { blocks } = await engine.store.read((tx) => readPage(tx, asked))
  const now = new Date(engine.clock.now()).toISOString()
  const isProven = (block: Block) => engine.experience.general(block.id) > 0 && !hasEnded(block, now)
  return blocks.filter((block) => isOwn(block) && isProven(block))
}

/** Returns the name of a skill's folder and the lines of its file. The mark in front has a hash of all other lines. */
function skillOf({ ids }: Engine, block: Block) {
  const situation = shownLine(situationOf(block))
  const letters = situation
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 48)
  const name = `${letters}-${shortId(block.id)}`.replace(/^-+|-(?=-)/g, '')
  const front = [`name: ${name}`, `description: ${JSON.stringify(preview(situation, 1_000))}`]
  const [up, down] = [block.successes, block.failures].map((sum) => sum.toFixed(1))
  const evidence = `Evidence: ${up} for, ${down} against; confidence ${confidenceOf(block).toFixed(2)}.`
  const body = [...shown(block.content).split('\n'), '', evidence, `From elfmem, block ${block.id}.`]
  const mark = MARK + ids.sha256([...front, ...body].join('\n'))
  return { name, lines: ['---', ...front, mark, '---', '', ...body] }
}

const MARK = 'elfmem: '

/** Returns true if there is no such file, or if it is as elfmem wrote it. */
async function mayWrite({ texts, ids }: Engine, file: string): Promise<boolean> {
  const lines: string[] = []
  try {
    for await (const line of texts.read(file, LINE_BYTES)) lines.push(line)
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    if (error.code === 'NOT_FOUND') return true
    // A folder, or a line that no skill of elfmem has.
    if (error.code === 'INVALID_INPUT') return false
    throw error
  }
  const [name = '', description = '', mark = ''] = lines.slice(1, 4)
  return mark === MARK + ids.sha256([name, description, ...lines.slice(6)].join('\n'))
}

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines
}
