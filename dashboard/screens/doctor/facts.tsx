import { useState } from 'preact/hooks'
import type { Output } from '../../api.ts'
import { change, mayChange } from '../../change.ts'
import { number, plural } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { When, Words } from '../../parts/chip.tsx'
import { session } from '../../session.ts'
import { type PlaceOfMemory, sizeWords } from './records.ts'

/** Backups shown at first. */
const SHOWN = 6

/** The facts of the memory: where it lies, what it is made with, how old it is. */
export function Memory({
  status,
  place,
}: {
  readonly status: Output<'status'>
  readonly place: PlaceOfMemory | undefined
}) {
  const { embeddingModel, shadowModel, judge, totalActiveHours, lastConsolidated, echoes } = status
  return (
    <section class="card" aria-labelledby="memory-head">
      <div class="card-head">
        <h2 id="memory-head">This memory</h2>
      </div>
      <dl class="card-body facts">
        <dt>File</dt>
        <dd>
          <Words class="mono" text={place?.file ?? status.location} />
        </dd>
        {place && (
          <>
            <dt>Chosen by</dt>
            <dd>{place.rule}</dd>
          </>
        )}
        {place?.bytes !== undefined && (
          <>
            <dt>Size</dt>
            <dd>{sizeWords(place.bytes)}</dd>
          </>
        )}
        <dt>Blocks</dt>
        <dd>
          {number(status.activeCount)} active, {number(status.inboxCount)} waiting,{' '}
          {number(status.archivedCount)} archived
        </dd>
        <dt>Embedder</dt>
        <dd>
          <Words text={embeddingModel ?? 'none yet'} />
          {shadowModel && <Words class="second" text={`, and ${shadowModel} besides`} />}
        </dd>
        <dt>Judged by</dt>
        <dd>{judge.model ?? 'rules, or your agent'}</dd>
        <dt>Age</dt>
        <dd>{plural(Math.round(totalActiveHours), 'hour')} of use</dd>
        <dt>Last dream</dt>
        <dd>{lastConsolidated ? <When at={lastConsolidated} time /> : 'never'}</dd>
        {echoes > 0 && (
          <>
            <dt>Echoes</dt>
            <dd>{plural(echoes, 'text')} that recall had shown, not copied</dd>
          </>
        )}
        {(place?.scopes ?? []).length > 0 && (
          <>
            <dt>Scopes</dt>
            <dd>
              {place?.scopes.map(({ scope, active }) => (
                <div key={scope}>
                  <Words text={scope} /> <span class="quiet-text small number">{number(active)}</span>
                </div>
              ))}
            </dd>
          </>
        )}
      </dl>
    </section>
  )
}

/** What models used for this memory. */
export function Models({ tokens }: Output<'status'>) {
  const { lifetime, today } = tokens
  return (
    <section class="card" aria-labelledby="models-head">
      <div class="card-head">
        <h2 id="models-head">What models used</h2>
      </div>
      <dl class="card-body facts number">
        <dt>Language model</dt>
        <dd>
          {plural(lifetime.llmCalls, 'call')},{' '}
          {plural(lifetime.llmInputTokens + lifetime.llmOutputTokens, 'token')}
        </dd>
        <dt>Embedder</dt>
        <dd>
          {plural(lifetime.embeddingCalls, 'call')}, {plural(lifetime.embeddingTokens, 'token')}
        </dd>
        <dt>Today</dt>
        <dd>{plural(today, 'token')}</dd>
      </dl>
    </section>
  )
}

/** The copies of the memory, and a button for another. */
export function Backups({ place, again }: { readonly place: PlaceOfMemory; readonly again: () => void }) {
  const [isBusy, setBusy] = useState(false)
  const [isAll, setAll] = useState(false)
  const { backups, backupFolder, scope } = place
  // Neither a scope nor a memory without a file can be copied.
  const isThere = place.bytes !== undefined
  const make = async () => {
    setBusy(true)
    await change('backup', {}, { undo: false })
    setBusy(false)
    again()
  }
  return (
    <section class="card" aria-labelledby="backups-head">
      <div class="card-head">
        <h2 id="backups-head">Backups</h2>
        {mayChange.value && isThere && (
          <span class="end">
            <Button size="small" disabled={isBusy} onClick={() => void make()}>
              {isBusy ? 'Copying…' : 'Back up now'}
            </Button>
          </span>
        )}
      </div>
      <div class="card-body column">
        {backups.length === 0 && <p class="quiet-text small">{noneWords(isThere, scope)}</p>}
        <ul class="lines">
          {backups.slice(0, isAll ? undefined : SHOWN).map(({ name, at, by }) => (
            <li class="row doctor-backup" key={name}>
              <span class="grow" title={name}>
                {at === undefined ? <Words class="mono" text={name} /> : <When at={at} time />}
              </span>
              <span class="quiet-text small">{by === 'owner' ? 'by the owner' : 'by an agent'}</span>
            </li>
          ))}
        </ul>
        {backups.length > SHOWN && !isAll && (
          <button type="button" class="link small" onClick={() => setAll(true)}>
            {plural(backups.length - SHOWN, 'older backup')}
          </button>
        )}
        {backupFolder && (
          <p class="quiet-text small">
            In <Words class="mono doctor-path" text={backupFolder} />. In a terminal{' '}
            <code class="mono">elfmem restore-backup</code> goes back to one.
          </p>
        )}
      </div>
    </section>
  )
}

function noneWords(isThere: boolean, scope: string | undefined): string {
  if (scope !== undefined) return 'A scope has none of its own. A dashboard of the whole memory makes them.'
  if (!isThere) return 'None yet, since nothing is remembered that could be copied.'
  return 'None yet. A copy is checked before it counts.'
}

/** Facts of the dashboard itself. */
export function Here({ version }: { readonly version: string | undefined }) {
  const { readOnly, scope } = session.value
  return (
    <section class="card" aria-labelledby="here-head">
      <div class="card-head">
        <h2 id="here-head">This dashboard</h2>
      </div>
      <dl class="card-body facts">
        {version && (
          <>
            <dt>Version</dt>
            <dd>{version}</dd>
          </>
        )}
        <dt>Reached from</dt>
        <dd>this machine alone</dd>
        <dt>May change things</dt>
        <dd>{readOnly ? 'no, it was started to read only' : 'yes, as the owner'}</dd>
        {scope && (
          <>
            <dt>Sees</dt>
            <dd>
              only the scope <Words text={scope} />
            </dd>
          </>
        )}
        <dt>Ends</dt>
        <dd>with the command that started it</dd>
      </dl>
    </section>
  )
}
