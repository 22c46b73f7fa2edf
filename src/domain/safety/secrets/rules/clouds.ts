import { type SecretRule, shaped } from '../rule.ts'

/** Keys of clouds, forges, registries and the machinery of builds, by the shapes their makers gave them. */
export const CLOUD_RULES: readonly SecretRule[] = [
  shaped(
    'AWS access key id',
    /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])/y,
    {
      keywords: ['akia', 'asia', 'abia', 'acca', 'a3t'],
    },
  ),
  shaped(
    'AWS secret key',
    /(?<before>(?:\baws[\w.-]{0,24}(?:key|secret)|secret_?access_?key)[\w-]{0,10}["']?\s{0,4}(?:=>|[:=])\s{0,4}["']?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/iy,
    { keywords: ['aws', 'secretaccesskey', 'secret_accesskey', 'secretaccess_key', 'secret_access_key'] },
  ),
  shaped(
    'AWS session token',
    /(?<before>\baws_?session_?token["']?\s{0,4}(?:=>|[:=])\s{0,4}["']?)[A-Za-z0-9/+=]{60,2000}/iy,
    { keywords: ['aws_session_token', 'awssessiontoken', 'awssession_token', 'aws_sessiontoken'] },
  ),
  shaped('AWS Bedrock key', /(?<![A-Za-z0-9])ABSK[A-Za-z0-9+/]{100,300}={0,2}/y, { keywords: ['absk'] }),
  shaped('Google API key', /(?<![\w-])AIza[\w-]{35}(?![\w-])/y),
  shaped('Google OAuth token', /(?<![\w-])ya29\.[\w-]{20,2000}/y),
  shaped('Google client secret', /(?<![\w-])GOCSPX-[\w-]{28}(?![\w-])/y),
  shaped('Google service account key', /(?<before>"private_key_id"\s{0,4}:\s{0,4}")[0-9a-f]{40}/y, {
    keywords: ['"private_key_id"'],
  }),
  shaped('Azure storage key', /(?<before>\bAccountKey=)[A-Za-z0-9+/]{60,120}={0,2}/iy, {
    keywords: ['accountkey='],
  }),
  shaped('Azure shared access key', /(?<before>\bSharedAccessKey=)[A-Za-z0-9+/]{30,120}={0,2}/iy, {
    keywords: ['sharedaccesskey='],
  }),
  shaped('Azure SAS signature', /(?<before>[?&]sig=)[A-Za-z0-9%+/]{30,200}={0,2}/y, {
    keywords: ['?sig=', '&sig='],
  }),
  shaped('Azure client secret', /(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])/y, {
    keywords: Array.from({ length: 10 }, (_, digit) => `${digit}q~`),
    lead: [/[\w~.-]/, 3],
  }),
  shaped('Alibaba access key', /(?<![A-Za-z0-9])LTAI[A-Za-z0-9]{12,20}(?![A-Za-z0-9])/y),
  shaped('DigitalOcean token', /(?<![A-Za-z0-9])do[opr]_v1_[0-9a-f]{64}(?![0-9a-f])/y, {
    keywords: ['doo_v1_', 'dop_v1_', 'dor_v1_'],
  }),
  shaped('Cloudflare origin key', /(?<![\w.-])v1\.0-[0-9a-f]{24}-[0-9a-f]{100,160}(?![0-9a-f])/y),
  shaped(
    'Cloudflare token',
    /(?<before>\b(?:cloudflare|cf)[\w.-]{0,24}(?:key|token)["']?\s{0,4}[:=]\s{0,4}["']?)[\w-]{37,40}(?![\w-])/iy,
    { keywords: ['cloudflare', 'cf_', 'cf-', 'cfapi'] },
  ),
  shaped('Heroku key', /(?<![\w-])HRKU-[\w-]{36,64}/y),
  shaped(
    'Heroku key',
    /(?<before>\bheroku[\w.-]{0,24}["']?\s{0,4}[:=]\s{0,4}["']?)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/iy,
    { keywords: ['heroku'] },
  ),
  shaped('GitHub token', /(?<![A-Za-z0-9])gh[opusr]_[A-Za-z0-9]{36,255}/y, {
    keywords: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
  }),
  shaped('GitHub fine-grained token', /(?<![A-Za-z0-9])github_pat_\w{22,255}/y),
  shaped('GitLab token', /(?<![\w-])gl(?:pat|dt|rt|ptt|oas|cbt|imt|ft|agent|soat|ffct)-[\w.-]{20,300}/y, {
    keywords: [
      'glpat-',
      'gldt-',
      'glrt-',
      'glptt-',
      'gloas-',
      'glcbt-',
      'glimt-',
      'glft-',
      'glagent-',
      'glsoat-',
      'glffct-',
      'glrtr-',
    ],
  }),
  shaped('Bitbucket app password', /(?<![A-Za-z0-9])ATBB[A-Za-z0-9]{32}(?![A-Za-z0-9])/y),
  shaped('Atlassian token', /(?<![A-Za-z0-9])ATATT3[\w=-]{60,300}/y),
  shaped('npm token', /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/y),
  shaped('npm registry token', /(?<before>\b_auth(?:Token)?\s{0,4}=\s{0,4}["']?)[\w+/=.~-]{16,500}/y, {
    keywords: ['_auth'],
  }),
  shaped('PyPI token', /(?<![\w-])pypi-AgE[\w-]{50,500}/y),
  shaped('RubyGems key', /(?<![A-Za-z0-9])rubygems_[0-9a-f]{48}(?![0-9a-f])/y),
  shaped('NuGet key', /(?<![A-Za-z0-9])oy2[a-z0-9]{43}(?![A-Za-z0-9])/y, { keywords: ['oy2'] }),
  shaped('Docker Hub token', /(?<![A-Za-z0-9])dckr_[po]at_[\w-]{27,80}/y, {
    keywords: ['dckr_pat_', 'dckr_oat_'],
  }),
  shaped('HashiCorp Vault token', /(?<![\w.-])hv[sbr]\.[\w-]{24,300}/y, {
    keywords: ['hvs.', 'hvb.', 'hvr.'],
  }),
  shaped('Terraform Cloud token', /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,80}/y, {
    keywords: ['.atlasv1.'],
    lead: [/[A-Za-z0-9]/, 14],
  }),
  shaped('Pulumi token', /(?<![\w-])pul-[0-9a-f]{40}(?![0-9a-f])/y),
  shaped('Doppler token', /(?<![\w.-])dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,100}/y, {
    keywords: ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.'],
  }),
  shaped('Databricks token', /(?<![A-Za-z0-9])dapi[0-9a-f]{32}(?:-\d{1,2})?(?![0-9a-f])/y),
  shaped(
    'Grafana token',
    /(?<![A-Za-z0-9])gl(?:sa_[A-Za-z0-9]{32}_[0-9a-f]{8}|c_[A-Za-z0-9+/]{32,400}={0,2})/y,
    { keywords: ['glsa_', 'glc_'] },
  ),
  shaped('New Relic key', /(?<![\w-])NRA[KAL]-[A-Z0-9]{27,42}/y, { keywords: ['nrak-', 'nraa-', 'nral-'] }),
  shaped('Sentry token', /(?<![A-Za-z0-9])sntry[su]_[\w+/=-]{40,400}/y, { keywords: ['sntrys_', 'sntryu_'] }),
  shaped('Supabase key', /(?<![A-Za-z0-9])(?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,80})/y, {
    keywords: ['sbp_', 'sb_secret_'],
  }),
  shaped('PlanetScale token', /(?<![A-Za-z0-9])pscale_(?:tkn|pw|oauth)_[\w.=-]{32,64}/y, {
    keywords: ['pscale_'],
  }),
  shaped('Netlify token', /(?<![A-Za-z0-9])nfp_[A-Za-z0-9]{36,60}/y),
  shaped('Tailscale key', /(?<![\w-])tskey-[a-z]{3,10}-[\w-]{16,100}/y),
  shaped('Postman key', /(?<![\w-])PMAK-[0-9a-f]{24}-[0-9a-f]{34}(?![0-9a-f])/y),
  shaped('1Password token', /(?<![A-Za-z0-9])ops_eyJ[\w-]{60,1000}/y),
]
