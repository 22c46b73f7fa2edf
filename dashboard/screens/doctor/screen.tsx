import './doctor.css'
import { useEffect, useState } from 'preact/hooks'
import type { Query } from '../../address.ts'
import { view } from '../../api.ts'
import { mayChange } from '../../change.ts'
import { changes } from '../../live.ts'
import { useLoad, useOperation } from '../../load.ts'
import { Button } from '../../parts/button.tsx'
import { Notice, Pending } from '../../parts/states.tsx'
import { Checks, type Diagnosis, titleOf, useDoctor } from './checks.tsx'
import { Backups, Here, Memory, Models } from './facts.tsx'
import { Predictions } from './predictions.tsx'
import type { PlaceOfMemory, Setting } from './records.ts'
import { Settings } from './settings.tsx'

/** The screen of health: checks, the facts of the memory, settings, backups. */
export function Screen({ query }: { readonly query: Query }) {
  const [diagnosis, setDiagnosis] = useState<Diagnosis>()
  const running = useDoctor(setDiagnosis)
  const status = useOperation('status', {})
  const place = useLoad((signal) => view<PlaceOfMemory>('place', { signal }), [changes.value])
  const settings = useLoad(
    (signal) => view<{ readonly settings: readonly Setting[] }>('settings', { signal }),
    [],
  )
  const isFixable = diagnosis?.checks.some(({ fixable }) => fixable === 'fix') ?? false
  const mayAsk = mayChange.value
  useEffect(() => {
    if (mayAsk) running.run({})
  }, [mayAsk])
  return (
    <div class="sheet">
      <div class="row between wrap">
        <h1>{titleOf(diagnosis)}</h1>
        {mayAsk && (
          <div class="row wrap">
            {isFixable && (
              <Button tone="primary" disabled={running.isBusy} onClick={() => running.run({ fix: true })}>
                Repair what is safe
              </Button>
            )}
            <Button
              disabled={running.isBusy}
              title="Asks the embedder and the language model once each; that may cost a few tokens"
              onClick={() => running.run({ resolve: true })}
            >
              Ask the models, too
            </Button>
            <Button disabled={running.isBusy} onClick={() => running.run({})}>
              Check again
            </Button>
          </div>
        )}
      </div>
      <div class="grid">
        <div class="span-8 column wide-gap">
          {mayAsk ? (
            <Checks {...{ diagnosis, running }} isLoading={running.isBusy} failure={undefined} />
          ) : (
            <Notice tone="info" icon="eye" title="Nothing is checked while the dashboard may only read">
              A check may write to the file. Run elfmem doctor in a terminal.
            </Notice>
          )}
          <Pending loaded={settings} lines={10}>
            {(found) => (
              <Settings
                settings={found.settings}
                configs={place.data?.configs ?? []}
                words={query.q ?? ''}
                onlySet={query.set === '1'}
              />
            )}
          </Pending>
        </div>
        <div class="span-4 column wide-gap">
          <Pending loaded={status} lines={8}>
            {(known) => (
              <>
                <Memory status={known} place={place.data} />
                <Models {...known} />
                {known.calibration && <Predictions {...known.calibration} />}
              </>
            )}
          </Pending>
          <Pending loaded={place} lines={4}>
            {(known) => <Backups place={known} again={place.again} />}
          </Pending>
          <Here version={place.data?.version} />
        </div>
      </div>
    </div>
  )
}
