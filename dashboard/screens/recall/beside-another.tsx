import type { RecallResult } from '../../../src/operations/methods.generated.ts'
import type { Query } from '../../address.ts'
import { call } from '../../api.ts'
import { useLoad } from '../../load.ts'
import { Button, Select } from '../../parts/button.tsx'
import { Chip, Words } from '../../parts/chip.tsx'
import { Failure, Skeleton } from '../../parts/states.tsx'
import { openBlock, setQuery } from '../../router.tsx'
import { type Asked, askedIn, FRAMES, lookOf } from './rules/asked.ts'

interface BesideAnotherProps {
  readonly answer: RecallResult
  readonly asked: Asked
  readonly query: Query
}

/** The same question in another frame, or for so many: what comes there, and where it stands here. */
export function BesideAnother({ answer, asked, query }: BesideAnotherProps) {
  const other = otherOf(asked, query)
  const key = JSON.stringify([other, answer.blockIds])
  const { data, failure, isLoading, again } = useLoad(
    (signal) =>
      other === undefined
        ? Promise.resolve({ ok: true as const, value: undefined })
        : call('recall', { ...lookOf(other), suggest: false }, { signal }),
    [key],
  )
  const options = FRAMES.filter(({ name }) => name !== asked.frame)
  return (
    <section class="card" aria-labelledby="beside">
      <div class="card-head">
        <h2 id="beside">Beside another frame</h2>
        <span class="end row">
          <Select
            label="Compare with the frame"
            value={query.beside ?? ''}
            options={[['', 'Compare…'], ...options.map(({ name, label }) => [name, label] as const)]}
            onChange={(name) => setQuery({ beside: name || undefined })}
          />
          {other && (
            <Button
              tone="quiet"
              size="small"
              icon="close"
              label="End the comparison"
              onClick={() => setQuery({ beside: undefined })}
            />
          )}
        </span>
      </div>
      {failure && <Failure why={failure} again={again} />}
      <div class="card-body">
        {other === undefined && (
          <p class="small quiet-text">The same question as another frame answers it, block by block.</p>
        )}
        {other && <p class="small second">{FRAMES.find(({ name }) => name === other.frame)?.does}</p>}
        {other && data === undefined && isLoading && <Skeleton lines={4} />}
        {other && data && <Compared here={answer} there={data} />}
      </div>
    </section>
  )
}

function otherOf(asked: Asked, { beside }: Query): Asked | undefined {
  const frame = FRAMES.find(({ name }) => name === beside)?.name
  return frame === undefined || frame === asked.frame ? undefined : { ...askedIn({}), ...asked, frame }
}

interface ComparedProps {
  readonly here: RecallResult
  readonly there: RecallResult
}

function Compared({ here, there }: ComparedProps) {
  const onlyHere = here.blocks.filter(({ id }) => !there.blockIds.includes(id))
  if (there.blocks.length === 0)
    return <p class="small second">Nothing comes there: {there.summary.replace(/^\w+: /, '')}</p>
  return (
    <>
      <ol class="lines compared">
        {there.blocks.map(({ id, content }, at) => {
          const place = here.blockIds.indexOf(id)
          return (
            <li key={id}>
              <button type="button" class="line" onClick={() => openBlock(id)}>
                <span class="rank number">{at + 1}</span>
                <Words class="main clip-2" text={content} />
                <Chip tone={place < 0 ? 'info' : undefined}>
                  {place < 0 ? 'only there' : `here ${place + 1}`}
                </Chip>
              </button>
            </li>
          )
        })}
      </ol>
      <p class="small quiet-text compared-foot">
        {there.budgetUsed} of {there.budgetTotal} tokens.{' '}
        {onlyHere.length === 0 ? 'All that is here comes there, too.' : `${onlyHere.length} only here.`}
      </p>
    </>
  )
}
