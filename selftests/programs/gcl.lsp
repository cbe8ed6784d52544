; SPDX-License-Identifier: GPL-2.0-only
;
; GNU Common Lisp profiles itself by its own function for profil(2), for gcl_test.sh. Prints the
; samples, those that are there after more work without a profile, and the CPU time with its unit.

; a counter for each 16 KiB of 2 GiB, where the program, its libraries and compiled functions are
(setq si::*profile-array*
      (make-array 262144 :element-type 'character :initial-element (code-char 0) :static t))

(defun samples ()
  (let ((sum 0) (bytes si::*profile-array*))
    (dotimes (i 131072 sum)
      (incf sum (+ (char-code (aref bytes (* 2 i)))
                   (* 256 (char-code (aref bytes (1+ (* 2 i))))))))))

(defun fib (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))

(setq begin (get-internal-run-time))
(si::profile 65536 8)
(fib 24)
(si::profile 0 0)
(setq used (- (get-internal-run-time) begin))
(setq counted (samples))
(fib 16)
(format t "~&samples ~a ~a used ~a ~a~%" counted (samples) used internal-time-units-per-second)
