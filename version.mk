# SPDX-License-Identifier: GPL-2.0-only
# The version of the module, the library and the command
PROFIL_VERSION := 0.9.0
