/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* <pcsample.h> of a program written for Solaris. */
#ifndef PROFIL_SOLARIS_PCSAMPLE_H
#define PROFIL_SOLARIS_PCSAMPLE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* pcsample(2), illumos */
extern long pcsample(uintptr_t samples[], long nsamples);

#ifdef __cplusplus
}
#endif

#endif /* PROFIL_SOLARIS_PCSAMPLE_H */
