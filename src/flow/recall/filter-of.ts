import type { FrameSettings } from '../../config/frames.ts'
import { SOURCE_CLASSES } from '../../domain/block/source-class.ts'
import type { Filter } from '../../search/filter.ts'

/** Which blocks a frame may show, narrowed by what a call asks for. */
export function filterOf(
  frame: FrameSettings,
  {
    tags,
    category,
    session,
  }: { readonly tags?: readonly string[]; readonly category?: string; readonly session?: string },
): Filter {
  return {
    ...(frame.include.length > 0 ? { include: frame.include } : {}),
    ...(frame.exclude.length > 0 ? { exclude: frame.exclude } : {}),
    ...(frame.classes.length < SOURCE_CLASSES.length ? { classes: frame.classes } : {}),
    ...(tags && tags.length > 0 ? { tags } : {}),
    ...(category === undefined ? {} : { category }),
    ...(session === undefined ? {} : { session }),
  }
}
