#pragma once

#include <hdf5.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace scree::io {

/// HDF5 never closes itself. It need not, for every file and object here is closed by its owner, and it must not: what
/// damaged files and full disks leave behind inside of it makes it complain, or crash. It closes itself at the end of
/// the program unless told otherwise, and at the end of MPI unless it was there first, so it begins with the program.
inline const bool hdf5_closes_nothing = H5dont_atexit() >= 0 && H5open() >= 0;

/// Throws std::runtime_error if a call of HDF5 failed; `what` names what was tried. Gives the result back.
template <typename Result>
Result checked(Result result, const char* what) {
  if (result < 0) {
    throw std::runtime_error(std::string("HDF5 could not ") + what);
  }
  return result;
}

/// Owns an identifier of HDF5. Throws std::runtime_error if there is none.
class H5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  H5Handle(hid_t id, Close closer) : id_(checked(id, "open an object")), close_(closer) {}
  H5Handle(hid_t id, Close closer, const char* what) : id_(checked(id, what)), close_(closer) {}
  ~H5Handle() { release(); }
  H5Handle(H5Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  H5Handle& operator=(H5Handle&& other) noexcept {
    if (this != &other) {
      release();
      id_ = std::exchange(other.id_, H5I_INVALID_HID);
      close_ = other.close_;
    }
    return *this;
  }
  H5Handle(const H5Handle&) = delete;
  H5Handle& operator=(const H5Handle&) = delete;

  [[nodiscard]] hid_t get() const { return id_; }
  [[nodiscard]] bool is_open() const { return id_ >= 0; }

  /// Closes now and says so if that fails: data may reach the disk only here.
  void close(const char* what = "close an object") { checked(close_(std::exchange(id_, H5I_INVALID_HID)), what); }

 private:
  void release() noexcept {
    if (id_ >= 0) {
      close_(id_);
    }
  }

  hid_t id_;
  Close close_;
};

/// Keeps HDF5 from printing its own errors while it lives: they are thrown instead.
class QuietHdf5 {
 public:
  QuietHdf5() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

}  // namespace scree::io
