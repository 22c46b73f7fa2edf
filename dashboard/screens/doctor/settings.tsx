import { plural } from '../../format.ts'
import { Chip, Words } from '../../parts/chip.tsx'
import { Empty } from '../../parts/states.tsx'
import { setQuery } from '../../router.tsx'
import { bySection, findSettings, type PlaceOfMemory, type Setting, sentence, valueWords } from './records.ts'

interface SettingsProps {
  readonly settings: readonly Setting[]
  readonly configs: PlaceOfMemory['configs']
  readonly words: string
  /** True: only those that somebody set. */
  readonly onlySet: boolean
}

/** Every setting with its value, where that is from, its range and the reason; shown, not changed. */
export function Settings({ settings, configs, words, onlySet }: SettingsProps) {
  const found = findSettings(onlySet ? settings.filter(({ isDefault }) => !isDefault) : settings, words)
  // All of them are too long a page: one opens what one wants, or looks for it.
  const isNarrowed = words !== '' || onlySet
  return (
    <section class="card" aria-labelledby="settings-head">
      <div class="card-head wrap">
        <h2 id="settings-head">Settings</h2>
        <span class="quiet-text small">{plural(settings.length, 'setting')}</span>
        <label class="end row small nowrap">
          <input
            type="checkbox"
            checked={onlySet}
            onChange={() => setQuery({ set: onlySet ? undefined : '1' })}
          />
          Only those that were set
        </label>
      </div>
      <div class="card-body column">
        <p class="second small">
          They are changed in a file, where each can have a comment:{' '}
          {configs.length === 0 ? (
            <span>there is none yet; elfmem config names the place.</span>
          ) : (
            configs.map(({ path, rule }) => (
              <span key={path} title={rule}>
                <Words class="mono doctor-path" text={path} />{' '}
              </span>
            ))
          )}
        </p>
        <input
          type="search"
          class="field"
          placeholder="Find a setting, such as decay or inbox"
          aria-label="Find a setting"
          value={words}
          onInput={({ currentTarget }) => setQuery({ q: currentTarget.value || undefined })}
        />
        {found.length === 0 && (
          <Empty icon="search" title="No setting fits">
            {onlySet
              ? 'Nothing else was set: all others have their defaults.'
              : 'Names, reasons and sources were looked through.'}
          </Empty>
        )}
        {bySection(found).map(([section, own]) => (
          <details key={`${section} ${isNarrowed}`} open={isNarrowed}>
            <summary class="doctor-section">
              <h3>{section.replaceAll('_', ' ')}</h3>
              <span class="quiet-text small number">{own.length}</span>
            </summary>
            <dl>
              {own.map((setting) => (
                <Row key={setting.name} setting={setting} />
              ))}
            </dl>
          </details>
        ))}
      </div>
    </section>
  )
}

function Row({ setting }: { readonly setting: Setting }) {
  const { name, value, isDefault, source, unit, range, reason, variable } = setting
  return (
    <div class="doctor-setting">
      <dt>
        <span class="mono">{name}</span>
        {!isDefault && <Chip tone="accent">set</Chip>}
      </dt>
      <dd class="doctor-value">
        <Words class="mono" text={valueWords(value)} />
        {unit && value !== undefined && <span class="quiet-text small"> {unit}</span>}
      </dd>
      <dd class="doctor-reason second small">
        {sentence(reason)}
        <span class="quiet-text">
          {range && ` ${sentence(range)}`}
          {!isDefault && ` Default: ${valueWords(setting.default)}.`}
          {source ? (
            <>
              {' '}
              From <Words text={source} />.
            </>
          ) : (
            ` Variable ${variable}.`
          )}
        </span>
      </dd>
    </div>
  )
}
