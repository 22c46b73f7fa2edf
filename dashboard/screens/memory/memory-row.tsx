import { confidenceBy, number } from '../../format.ts'
import { Chip, Meter, When, Who, Words } from '../../parts/chip.tsx'
import { shown } from '../../shown.ts'
import type { Row } from './rows.ts'

/** A block in the list: its words, who speaks, and how it stands. Grey bars until it is loaded. */
export function MemoryRow({ row }: { readonly row: Row | undefined }) {
  if (row === undefined)
    return (
      <div class="memory-row" aria-busy="true">
        <div class="skeleton" />
        <div class="skeleton only-wide" />
        <div class="skeleton" />
      </div>
    )
  const { content, sourceClass, source, tags, details, createdAt, occurrences, validUntil } = row
  return (
    <div class="memory-row">
      <div class="memory-words">
        <Words class="clip" text={content} />
        <div class="memory-by">
          <Who sourceClass={sourceClass} source={source} />
          {validUntil && (
            <Chip icon="ends" title="It holds no longer than this">
              until <When at={validUntil} />
            </Chip>
          )}
          {tags.length > 0 && (
            <span class="clip">
              {tags.map((tag) => (
                <bdi class="tag" key={tag}>
                  #{shown(tag)}
                </bdi>
              ))}
            </span>
          )}
        </div>
      </div>
      <span class="only-wide">
        {details && <Meter kind="confidence" label="Confidence" value={confidenceBy(details)} />}
      </span>
      <span>{details && <Meter kind="freshness" label="Freshness" value={details.freshness} />}</span>
      <span class="memory-edges number small second">
        {details && number(details.degree)}
        <span class="unseen"> edges</span>
      </span>
      <span class="memory-date small quiet-text">
        <When at={occurrences?.at(-1)?.at ?? createdAt} />
      </span>
    </div>
  )
}

/** The names of the columns. */
export function MemoryHead({
  total,
  status,
}: {
  readonly total: number | undefined
  readonly status: string
}) {
  return (
    <div class="memory-row memory-head">
      <span aria-live="polite">{total === undefined ? '' : `${number(total)} ${status}`}</span>
      <span class="only-wide">Confidence</span>
      <span>
        Fresh<span class="only-wide">ness</span>
      </span>
      <span class="memory-edges">Edges</span>
      <span class="memory-date">Taken in</span>
    </div>
  )
}
