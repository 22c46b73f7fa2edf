import { shellWord } from '../../domain/text/text.ts'
import { ElfmemError } from '../../errors.ts'

/** What saves the rows that can be recognised in a file that is not opened. */
export function rescueSentence(location: string): string {
  return `elfmem rescue ${shellWord(location)} copies what can be recognised in it into a new memory.`
}

/** The refusal of a file that is no memory of elfmem, or not only one. */
export function foreign(location: string, found: string, recovery: string): ElfmemError {
  return new ElfmemError('STORE_FOREIGN', found, { recovery, details: { location } })
}

/** The same of what lies beside a memory; another process may just be writing it. */
export function foreignBeside(location: string, found: string, recovery: string): ElfmemError {
  return new ElfmemError('STORE_FOREIGN', found, { recovery, details: { location, mayPass: true } })
}
