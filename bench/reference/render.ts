import type { Fitted } from '../../src/recall/render.ts'
import { fitBudget } from '../../src/recall/render.ts'

/** A block as the reference's templates see it. */
export interface TemplateBlock {
  readonly content: string
  readonly tags: readonly string[]
}

interface Group {
  readonly heading: string
  readonly takes: (block: TemplateBlock) => boolean
  readonly numbered: boolean
}

const startsWith = (prefix: string) => (block: TemplateBlock) =>
  block.tags.some((tag) => tag.startsWith(prefix))

const everything: Group = { heading: '## Relevant knowledge', takes: () => true, numbered: true }

/** A block belongs to the first group that takes it. */
const TEMPLATES: Readonly<Record<'attention' | 'task' | 'simulate', readonly Group[]>> = {
  attention: [everything],
  task: [{ heading: '## Goals', takes: startsWith('self/goal'), numbered: false }, everything],
  simulate: [
    { heading: '## Who I am', takes: startsWith('self/'), numbered: false },
    { heading: '## Minds', takes: startsWith('mind/'), numbered: false },
    { heading: '## Decisions', takes: ({ tags }) => tags.includes('decision'), numbered: false },
    everything,
  ],
}

/**
 * Blocks under the headings of a template, as many as the budget holds (Python elfmem). The structure is the
 * reference's, the wording of the headings is not. Quirk: numbering restarts in each group.
 */
export function renderGroups(
  template: keyof typeof TEMPLATES,
  blocks: readonly TemplateBlock[],
  budget: number,
): Fitted<TemplateBlock> {
  const groups = TEMPLATES[template]
  return fitBudget({
    items: blocks,
    render: (shown) => renderAll(groups, shown),
    withText: (block, content) => ({ ...block, content }),
    textOf: ({ content }) => content,
    budget,
  })
}

function renderAll(groups: readonly Group[], blocks: readonly TemplateBlock[]): string {
  return groups
    .flatMap((group) => {
      const own = blocks.filter((block) => groups.find(({ takes }) => takes(block)) === group)
      if (own.length === 0) return []
      return [
        group.heading,
        ...own.map(({ content }, i) => `${group.numbered ? `[${i + 1}]` : '-'} ${content}`),
      ]
    })
    .join('\n')
}
