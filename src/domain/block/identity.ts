import type { Block } from './block.ts'
import { isOwn } from './source-class.ts'
import { isIdentityTag } from './tags.ts'

/** True if a block says who the agent is: a tag under `self/` and the agent's own words. */
export function isIdentity({ tags, sourceClass }: Pick<Block, 'tags' | 'sourceClass'>): boolean {
  return isOwn({ sourceClass }) && tags.some(isIdentityTag)
}
