import type { Output } from '../../api.ts'
import { plural } from '../../format.ts'

type Calibration = NonNullable<Output<'status'>['calibration']>

/** The Brier score tells how good the settled predictions were. */
export function Predictions({ settled, brier }: Calibration) {
  return (
    <section class="card" aria-labelledby="predictions-head">
      <div class="card-head">
        <h2 id="predictions-head">Predictions</h2>
      </div>
      <div class="card-body column">
        <p>
          {plural(settled, 'is', 'are')} settled. Brier score {brier.toFixed(2)}: 0 is best, and .25 is what
          “perhaps” gets.
        </p>
      </div>
    </section>
  )
}
