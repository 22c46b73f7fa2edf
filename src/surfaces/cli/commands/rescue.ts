import { resolve } from 'node:path'
import { ElfmemError } from '../../../errors.ts'
import { type RescueResult, rescueFile } from '../../../opening/rescue-file.ts'
import { count, harmless } from '../../../operations/wording.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK } from '../io.ts'
import { resolveCliProject } from '../project.ts'
import { jsonText } from '../screen/output.ts'

/** Copies what can be recognised in a file that is not opened as a memory into a new one. */
export async function runRescue({ global, values, positionals }: ParsedFlags, io: CliIo): Promise<number> {
  const [file] = positionals
  if (file === undefined)
    throw new ElfmemError('INVALID_INPUT', 'rescue takes one file.', {
      recovery: 'For example: elfmem rescue memory.db --to rescued.db',
    })
  const from = resolve(io.cwd, file)
  const to = typeof values.to === 'string' ? resolve(io.cwd, values.to) : `${from}.rescued.db`
  const project = await resolveCliProject(global, io)
  const result = await rescueFile(project, { from, to, trusted: values.trusted === true, signal: io.signal })
  io.stdout.write(`${global.json ? jsonText(result) : harmless(reportOf(result, values.trusted === true))}\n`)
  return EXIT_OK
}

function reportOf({ from, to, blocks, left, lost, isCut }: RescueResult, trusted: boolean): string {
  const whose = trusted ? 'with the class they had' : 'as words of an import'
  return [
    `${count(blocks, 'block')} of ${from} ${blocks === 1 ? 'is' : 'are'} in ${to}, ${whose}. What came waits in its inbox; ${from} was left as it is.`,
    ...(left > 0 ? [`${left} rows were left: archived, there twice, or refused by an import.`] : []),
    ...(lost > 0 ? [`${lost} pages or rows could not be read.`] : []),
    ...(isCut ? ['There was more than is read of one file.'] : []),
    `Next: elfmem dream --db ${to}, then elfmem ls --db ${to} to look through them.`,
  ].join('\n')
}
