import type { Block } from '../../domain/block/block.ts'
import { sourceName } from '../../domain/block/source-class.ts'
import { shownLine } from '../../domain/safety/visible.ts'

/** No source may end the brackets it stands in, or look like a number in brackets. */
const withoutBrackets = (name: string) => name.replace(/[([（［]/g, '‹').replace(/[)\]）］]/g, '›')

/** What a stamp is made of. */
type Stamped = Pick<Block, 'occurredAt' | 'source' | 'sourceClass' | 'status'>

/** When and by whom, until when it held if it holds no more, and whether it waits for its dream. */
export function stampOf(block: Stamped, mark?: string): string {
  const name = sourceName({ ...block, source: shownLine(block.source ?? '') })
  return [
    block.occurredAt.slice(0, 10),
    ...(name ? [withoutBrackets(name)] : []),
    ...(mark === undefined ? [] : [mark]),
    ...(block.status === 'inbox' ? ['waiting'] : []),
  ].join(', ')
}
